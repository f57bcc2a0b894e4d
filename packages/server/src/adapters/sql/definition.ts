import type { Change, Json, Preview } from "@paraph/core";
import { demandHarmlessNames } from "./functions.ts";
import { demandNotMarker } from "./marker.ts";
import type { Setting } from "./setting.ts";
import { refused, type Statement } from "./statement.ts";
import { quoted } from "./table.ts";
import type { Transaction } from "./transaction.ts";
import { type Branch, branchesOf, type Tree, treesIn } from "./tree.ts";

/** What a definition speaks of, as it stands. */
interface Spoken {
  readonly name: string;
  readonly there: boolean;
  /** Over kind and columns. */
  readonly digest: string | null;
  /** As the database last estimated them; it moves by itself, so nothing rests on it. */
  readonly estimatedRows: number | null;
}

/**
 * A definition is not tried out: it would lock its table against everybody. What can be said is what it speaks of, and
 * that is what it rests on. It counts no rows, so a rule about many rows holds for it.
 */
export async function previewDefinition(
  setting: Setting,
  statement: Statement,
  transaction: Transaction,
): Promise<Preview> {
  const spoken = await spokenOf(setting, statement, transaction);
  const kind = kinds[statement.kind] ?? "update";
  const changes = spoken.map(({ name, there, estimatedRows }): Change => {
    const summary = `${there ? "Is there now" : "Is not there yet"}; the statement was not tried out`;
    return {
      kind,
      target: name,
      summary,
      details: { there, ...(estimatedRows !== null && { estimatedRows }) },
    };
  });
  return { changes, basis: basisOf(spoken) };
}

export async function definitionBasis(
  setting: Setting,
  statement: Statement,
  transaction: Transaction,
): Promise<Json> {
  return basisOf(await spokenOf(setting, statement, transaction));
}

const kinds: Readonly<Record<string, Change["kind"]>> = {
  CreateStmt: "create",
  IndexStmt: "create",
  CreateTableAsStmt: "create",
  ViewStmt: "create",
  CreateSeqStmt: "create",
  DropStmt: "delete",
  TruncateStmt: "delete",
};

function basisOf(spoken: readonly Spoken[]): Json {
  return { definition: spoken.map(({ name, digest }) => [name, digest]) };
}

async function spokenOf(setting: Setting, statement: Statement, transaction: Transaction): Promise<Spoken[]> {
  demandOwn(statement);
  await demandHarmlessNames(statement, setting.functions, transaction);
  const names = namesIn(statement);
  const { rows } = await transaction.query(spokenQuery, [names]);
  const found = rows as unknown as (Spoken & { readonly oid: number | null })[];
  for (const { oid } of found) if (oid !== null) await demandNotMarker(setting.marker, oid, transaction);
  return found.map(({ name, there, digest, estimatedRows }) => ({ name, there, digest, estimatedRows }));
}

/** Statements that define tables can also give them away, or switch off what guards them. */
function demandOwn({ kind, tree }: Statement): void {
  if (tree.schemaElts !== undefined)
    throw refused(
      "several-changes",
      "The schema brings other definitions along: send each in a call of its own.",
    );
  for (const found of branchesOf({ tree })) {
    const [key, below] = found ?? [];
    if (key === "behavior" && below === "DROP_CASCADE")
      throw refused(
        "cascade-refused",
        "CASCADE takes along what nobody was shown: name each table or view in a call of its own.",
      );
    if ((key === "relpersistence" && below === "t") || (key === "schemaname" && /^pg_temp/.test(`${below}`)))
      throw refused("temporary-refused", "Nothing stays between calls: leave TEMPORARY out.");
  }
  const type = `${tree.removeType ?? tree.renameType ?? ""}`;
  const isForeign =
    (kind === "DropStmt" || kind === "RenameStmt") &&
    !/^OBJECT_(?:TABLE|COLUMN|TABCONSTRAINT|VIEW|MATVIEW|INDEX|SEQUENCE)$/.test(type);
  const guards = treesIn(tree.cmds, "AlterTableCmd").some(({ subtype }) =>
    /Owner|RowSecurity|Trig|Rule|Tablespace/.test(`${subtype}`),
  );
  if (isForeign || guards)
    throw refused(
      "statement-refused",
      "Only tables, views, indexes and sequences are defined here, not whose they are or what guards them.",
    );
}

function namesIn({ kind, tree }: Statement): string[] {
  const parts: (string | undefined)[][] = [];
  for (const found of branchesOf({ tree })) {
    const below = found?.[1] as Tree | undefined;
    if (typeof below?.relname === "string")
      parts.push([below.schemaname as string | undefined, below.relname]);
  }
  if (kind === "DropStmt")
    for (const { items } of treesIn(tree.objects, "List")) parts.push(treesIn(items, "String").map(textOf));
  const names = parts.map((name) =>
    name.flatMap((part) => (part === undefined ? [] : quoted(part))).join("."),
  );
  return [...new Set(names)].sort();
}

function textOf({ sval }: { readonly [key: string]: Branch }): string {
  return `${sval}`;
}

const spokenQuery = `
select coalesce(n.nspname || '.' || c.relname, wanted) as name,
       c.oid is not null as there,
       c.oid::int8::float8 as oid,
       case when c.reltuples >= 0 then c.reltuples::float8 end as "estimatedRows",
       (select encode(sha256(convert_to(c.relkind::text || coalesce(string_agg(
          jsonb_build_array(a.attname, a.atttypid::regtype, a.atttypmod, a.attnotnull)::text, ',' order by a.attnum), ''), 'UTF8')), 'hex')
          from pg_catalog.pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped having c.oid is not null) as digest
  from unnest($1::text[]) as wanted
  left join pg_catalog.pg_class c on c.oid = to_regclass(wanted)
  left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 order by wanted`;
