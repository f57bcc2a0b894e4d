import { toVaryingText } from "../statement/varying-value.ts";
import type { ReportOptions } from "./run-change.ts";
import type { Table } from "./table.ts";

/** The maximum number of characters of a value in a sample. */
const maxValueLength = 200;

/** The maximum total size of the kept rows. If the rows are larger, the database does not send them. */
const maxKeptBytes = 32 * 1024;

/**
 * The part of the query that follows the statement. It reads the old and new rows, `before` and `after`, from
 * `paraph_both`.
 */
export interface ReportQuery {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Builds the report query. It passes column names as parameters, like any other value, and numbers them after the
 * statement's own parameters.
 */
export function createReportQuery(
  taken: number,
  { key, columns }: Table,
  options: ReportOptions,
): ReportQuery {
  const values: unknown[] = [];
  const value = (one: unknown, type: string): string => {
    values.push(one);
    return `$${taken + values.length}::${type}`;
  };
  const [keyNames, names] = [
    value(key, "text[]"),
    value(
      columns.map(({ name }) => name),
      "text[]",
    ),
  ];
  const longest = value(maxValueLength, "int");
  const [sample, keys, kept] = [options.sample, options.keys, options.kept].map((max) => value(max, "int"));
  const keptNames = value(options.keptColumns, "text[]");

  /**
   * Returns one SQL expression for each given column of a row. Separate expressions cost far less per row than one
   * expression with a list of names.
   */
  const each = (row: string, chosen: readonly string[]): string[] => {
    // Adds no parameter for an empty list, because the query would not use the parameter. PostgreSQL rejects an unused
    // parameter, because it cannot infer the parameter's type.
    if (chosen.length === 0) return [];
    const list = value(chosen, "text[]");
    return chosen.map((_, index) => `${row} -> (${list})[${index + 1}]`);
  };
  const { columns: written, varying } = options.assigned;
  const became = columns.map((column, index) => {
    const name = `(${names})[${index + 1}]`;
    const text = toVaryingText(varying.get(column.name), column.type, `after ->> ${name}`);
    const value =
      text === undefined ? `after -> ${name}` : `coalesce(pg_catalog.to_jsonb(${text}), after -> ${name})`;
    // The basis includes values that triggers and the database itself write. It omits an unassigned column whose value
    // stays the same, because other sessions may change that column before the apply.
    const fact = written.includes(column.name)
      ? value
      : `case when before -> ${name} is distinct from after -> ${name} then ${value} end`;
    return { name, text, fact };
  });
  const facts = [
    ...(options.before ? each("before", options.before) : ["before"]),
    ...became.map(({ fact }) => fact),
  ];
  const movings = became.flatMap(({ name, text }) =>
    text === undefined ? [] : [`when ${name} then ${text}`],
  );
  const movingOf = movings.length === 0 ? "null::text" : `case name ${movings.join(" ")} end`;
  const keyOf = `coalesce((select pg_catalog.jsonb_object_agg(name, coalesce(after, before) ->> name)
                    from pg_catalog.unnest(${keyNames}) as name), '{}')`;
  const keptRows = (
    row: string,
  ) => `(select case when pg_catalog.octet_length(kept) <= ${maxKeptBytes} then kept end from (
         select coalesce(pg_catalog.jsonb_agg((
                  select pg_catalog.jsonb_object_agg(name, ${row} -> name) from pg_catalog.unnest(${keptNames}) as name) order by place), '[]')::text as kept
           from (select ${row}, place from paraph_row order by place limit ${kept}) as first) as whole)`;

  const text = `, paraph_row as (
  select before, after,
         pg_catalog.sha256(pg_catalog.convert_to(row(${facts.join(", ")})::text, 'UTF8')) as fact,
         pg_catalog.jsonb_build_array(${each("coalesce(before, after)", key).join(", ")}) as place
    from paraph_both
)
select pg_catalog.count(*)::int as rows,
       pg_catalog.count(*) filter (where before is null)::int as created,
       pg_catalog.count(*) filter (where after is null)::int as deleted,
       pg_catalog.encode(pg_catalog.sha256(coalesce(pg_catalog.string_agg(fact, ''::bytea order by fact), ''::bytea)), 'hex') as digest,
       coalesce((select pg_catalog.jsonb_agg(one) from (
         select pg_catalog.jsonb_build_object(
                  'kind', case when before is null then 'create' when after is null then 'delete' else 'update' end,
                  'key', ${keyOf},
                  'fields', coalesce((
                    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(
                             name, pg_catalog.left(before ->> name, ${longest}), pg_catalog.left(after ->> name, ${longest}), ${movingOf}) order by number)
                      from pg_catalog.unnest(${names}) with ordinality as c(name, number)
                     where before -> name is distinct from after -> name), '[]')) as one
           from (select * from paraph_row order by place, fact limit ${sample}) as first) as sampled), '[]') as sample,
       coalesce((select pg_catalog.jsonb_agg(${keyOf}) from (
         select before, after from paraph_row where pg_catalog.cardinality(${keyNames}) > 0 order by place limit ${keys}) as first), '[]') as keys,
       ${keptRows("before")} as before,
       ${keptRows("after")} as after
  from paraph_row`;
  return { text, values };
}
