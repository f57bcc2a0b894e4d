/** What a query tree of PostgreSQL refers to, by OID. */
export interface TreeReferences {
  readonly functions: ReadonlySet<number>;
  readonly operators: ReadonlySet<number>;
  readonly types: ReadonlySet<number>;
  /** Tables and views that are written. */
  readonly written: ReadonlySet<number>;
}

/**
 * Reads a tree by the names of its fields, as `:funcid 2626` and `:opnos (o 97 97)`. A field too many costs nothing: what is no
 * OID of its kind is not found in the catalogs. Texts of users in the tree can add references but hide none.
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

/** The rights that a statement needs on a table: with the table up to PostgreSQL 15, in a list of their own since. */
const permissionsPattern = /:relid\s+(\d+)(?:(?!:relid\s).)*?:requiredPerms\s+(\d+)/gs;
/** INSERT, UPDATE and DELETE, as PostgreSQL numbers them. */
const writePermissions = 1 | 4 | 8;

const oidFieldPattern = /:(\w+)\s+(\d+|\([oi](?:\s+\d+)+\s*\))/g;

/** `resulttype`, `coltypes` and, of what JSON functions return, `typid`; but not a type's modifier. */
function toReferenceKind(field: string): "functions" | "operators" | "types" | undefined {
  if (/(?:funcid|fnoid|func|handler)$/i.test(field)) return "functions";
  if (/(?:opno|opnos|eqop|sortop|neop|operators)$/i.test(field)) return "operators";
  return /typ(?!mod)/i.test(field) ? "types" : undefined;
}
