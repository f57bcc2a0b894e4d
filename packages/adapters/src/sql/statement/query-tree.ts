/** The OIDs that a query tree of PostgreSQL refers to. */
export interface TreeReferences {
  readonly functions: ReadonlySet<number>;
  readonly operators: ReadonlySet<number>;
  readonly types: ReadonlySet<number>;
  /** The tables and views that the statement writes. */
  readonly written: ReadonlySet<number>;
}

/**
 * Finds references by the tree's field names, such as `:funcid 2626` and `:opnos (o 97 97)`. A wrong match is harmless,
 * because the catalogs have no object of the matched kind with the matched number. A user's text in the tree can add
 * references but cannot hide any.
 */
export function findReferences(tree: string): TreeReferences {
  const found = {
    functions: new Set<number>(),
    operators: new Set<number>(),
    types: new Set<number>(),
    written: new Set<number>(),
  };
  for (const [, field, value] of tree.matchAll(oidFieldPattern)) {
    const kind = toReferenceKind(field!);
    if (kind === undefined) continue;
    for (const [oid] of value!.matchAll(/\d+/g)) if (Number(oid) > 0) found[kind].add(Number(oid));
  }
  for (const [, oid, rights] of tree.matchAll(permissionsPattern))
    if ((Number(rights) & writePermissions) !== 0) found.written.add(Number(oid));
  return found;
}

/**
 * The pattern for the rights that a statement needs on a table. Up to version 15, PostgreSQL lists the rights with the
 * table. Later versions list them separately.
 */
const permissionsPattern = /:relid\s+(\d+)(?:(?!:relid\s).)*?:requiredPerms\s+(\d+)/gs;
/** PostgreSQL's bits for INSERT, UPDATE and DELETE. */
const writePermissions = 1 | 4 | 8;

const oidFieldPattern = /:(\w+)\s+(\d+|\([oi](?:\s+\d+)+\s*\))/g;

/**
 * Returns the kind of reference that a field holds. Types include `resulttype`, `coltypes` and the `typid` of JSON
 * functions, but not a type's modifier.
 */
function toReferenceKind(field: string): "functions" | "operators" | "types" | undefined {
  if (/(?:funcid|fnoid|func|handler)$/i.test(field)) return "functions";
  if (/(?:opno|opnos|eqop|sortop|neop|operators)$/i.test(field)) return "operators";
  return /typ(?!mod)/i.test(field) ? "types" : undefined;
}
