import { foreignTableFault } from "../change/table.ts";
import type { Transaction } from "../connection/transaction.ts";
import { analyzeStatement } from "./analysis.ts";
import { findReferences } from "./query-tree.ts";
import { refusedFault, type SqlStatement } from "./statement.ts";

/** PostgreSQL's own volatile functions whose result is random or counts up, and that have no other effect. */
const randomFunctions = [
  ...["random", "random_normal", "gen_random_uuid", "uuidv4", "uuidv7"],
  ...["array_sample", "array_shuffle", "nextval", "bernoulli", "system"],
];

/**
 * PostgreSQL's own volatile functions that only read. The last rows list the functions that PostgreSQL's system views
 * use.
 */
const readingFunctions = [
  ...["currval", "lastval", "clock_timestamp", "timeofday"],
  ...["pg_database_size", "pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size"],
  ...["pg_get_aios", "pg_get_backend_memory_contexts", "pg_get_shmem_allocations", "pg_get_wait_events"],
  ...["pg_get_shmem_allocations_numa", "pg_hba_file_rules", "pg_ident_file_mappings", "pg_lock_status"],
  ...["pg_prepared_xact", "pg_sequence_last_value", "pg_show_all_file_settings", "pg_stat_get_io"],
  ...["pg_show_replication_origin_status", "pg_stat_get_recovery_prefetch", "pg_stat_get_xact_numscans"],
  ...["pg_stat_get_xact_function_calls", "pg_stat_get_xact_function_self_time"],
  ...["pg_stat_get_xact_function_total_time", "pg_stat_get_xact_tuples_deleted"],
  ...["pg_stat_get_xact_tuples_fetched", "pg_stat_get_xact_tuples_hot_updated"],
  ...["pg_stat_get_xact_tuples_inserted", "pg_stat_get_xact_tuples_newpage_updated"],
  ...["pg_stat_get_xact_tuples_returned", "pg_stat_get_xact_tuples_updated"],
];

/**
 * Functions that are not marked volatile, but run a query, a view, or a type's input with its checks. They receive the
 * query, view or type by name or as text, so the tree does not show which code runs. The functions in the first row are
 * from `tablefunc` and `xml2`.
 */
const indirectFunctions = [
  ...["crosstab", "crosstab2", "crosstab3", "crosstab4", "connectby", "xpath_table"],
  ...["table", "schema", "database"].flatMap((what) => [`${what}_to_xml`, `${what}_to_xml_and_xmlschema`]),
  ...["domain", "array", "record", "range", "multirange"].flatMap((type) => [`${type}_in`, `${type}_recv`]),
  ...["pg_input_is_valid", "pg_input_error_info"],
];

export interface FunctionCalls {
  /** The names of the called functions whose results differ at every call. */
  readonly random: ReadonlySet<string>;
}

/**
 * [P3] Rejects volatile functions, because a rollback cannot revert some of their effects, such as ended sessions,
 * written files and requests to other servers. PostgreSQL itself reports which functions a statement calls, regardless
 * of how its text writes the calls.
 */
export async function requireHarmless(
  text: string,
  allowed: readonly string[],
  transaction: Transaction,
): Promise<FunctionCalls> {
  const functions = await listReachedFunctions(await analyzeStatement(text, transaction), transaction);
  const { rows } = await transaction.query(functionKindsQuery, [
    functions,
    randomFunctions,
    readingFunctions,
    indirectFunctions,
  ]);
  for (const { name, kind } of rows)
    if (kind === "volatile" && !allowed.includes(`${name}`)) throw volatileFunctionFault(`${name}`);
  return { random: new Set(rows.filter(({ kind }) => kind === "drawing").map(({ name }) => `${name}`)) };
}

/**
 * Rejects a definition that names a volatile or indirect function. Paraph does not analyse definitions, because
 * PostgreSQL would have to run them. The check therefore covers every function whose name appears in the definition.
 */
export async function requireHarmlessNames(
  { names }: SqlStatement,
  allowed: readonly string[],
  transaction: Transaction,
): Promise<void> {
  const { rows } = await transaction.query(
    `select p.proname as name from pg_catalog.pg_proc p
      where p.proname::text = any($1::text[]) and (p.provolatile = 'v' or p.proname::text = any($3::text[]))
        and not (p.pronamespace = 'pg_catalog'::regnamespace and p.proname::text = any($2::text[]))`,
    [names, [...randomFunctions, ...readingFunctions], indirectFunctions],
  );
  const volatile = rows.find(({ name }) => !allowed.includes(`${name}`));
  if (volatile) throw volatileFunctionFault(`${volatile.name}`);
}

function volatileFunctionFault(name: string) {
  return refusedFault(
    "function-refused",
    `The statement calls \`${name}\`, which is volatile or runs other code. A rollback may not undo its effects. Remove it, or add it to \`functions\` in the configuration.`,
  );
}

/** Lists the functions that run: those in the tree and those of operators, aggregates, domains, checks and triggers. */
async function listReachedFunctions(tree: string, transaction: Transaction): Promise<number[]> {
  const functions = new Set<number>();
  const seen = new Set<string>();
  for (let trees = [tree]; trees.length > 0; ) {
    const { functions: called, operators, types, written } = findReferences(trees.join(" "));
    const { rows } = await transaction.query(
      reachedFunctionsQuery,
      [called, operators, types, written].map((oids) => [...oids]),
    );
    const [behind] = rows as unknown as [{ called: number[]; trees: string[]; isForeign: boolean }];
    if (behind.isForeign) throw foreignTableFault();
    for (const oid of behind.called) functions.add(oid);
    // The next round searches the trees that the catalogs returned. Their expressions may call functions and name types
    // that the statement's own tree does not contain.
    trees = behind.trees.filter((one) => !seen.has(one));
    for (const one of trees) seen.add(one);
  }
  return [...functions];
}

/** The parameters are: $1 functions, $2 operators, $3 types, $4 tables that the statement writes. */
const reachedFunctionsQuery = `
with recursive type(oid) as (
  (select pg_catalog.unnest($3::oid[])
   union select c.reltype from pg_catalog.pg_class c where c.oid = any($4::oid[]) and c.reltype <> 0)
  union
  select below.oid from type join pg_catalog.pg_type t on t.oid = type.oid
   cross join lateral (
     select t.typbasetype union all select t.typelem
     union all select a.atttypid from pg_catalog.pg_attribute a
                where t.typrelid <> 0 and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
     union all select r.rngsubtype from pg_catalog.pg_range r where t.oid in (r.rngtypid, r.rngmultitypid)
   ) as below(oid) where below.oid <> 0
), relation(oid) as (
  select pg_catalog.unnest($4::oid[])
  union
  select below.oid from relation cross join lateral (
    select i.inhrelid from pg_catalog.pg_inherits i where i.inhparent = relation.oid
    union all select c.conrelid from pg_catalog.pg_constraint c
               where c.confrelid = relation.oid and c.contype = 'f'
                 and (c.confdeltype in ('c', 'n', 'd') or c.confupdtype in ('c', 'n', 'd'))
  ) as below(oid)
), own(oid) as (
  select pg_catalog.unnest($1::oid[])
  union select o.oprcode from pg_catalog.pg_operator o where o.oid = any($2::oid[])
)
select coalesce((select pg_catalog.jsonb_agg(oid::int8) from (
         select oid from own
         union select pg_catalog.unnest(array[a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggmtransfn, a.aggminvtransfn,
                              a.aggmfinalfn, a.aggserialfn, a.aggdeserialfn]::oid[])
                 from pg_catalog.pg_aggregate a join own on a.aggfnoid = own.oid
         -- Rows are shown as JSON, for which a type may have a cast of its own.
         union select c.castfunc from pg_catalog.pg_cast c join type on c.castsource = type.oid
                where c.casttarget in ('json'::regtype, 'jsonb'::regtype)
         -- What triggers in trusted languages do stays inside the transaction as far as the owner of the table wrote it so.
         union select t.tgfoid from pg_catalog.pg_trigger t join relation on t.tgrelid = relation.oid
                 join pg_catalog.pg_proc p on p.oid = t.tgfoid join pg_catalog.pg_language l on l.oid = p.prolang
                where not t.tgisinternal and t.tgenabled <> 'D' and not l.lanpltrusted and l.lanname <> 'internal'
       ) as every where oid <> 0), '[]') as called,
       coalesce((select pg_catalog.jsonb_agg(tree) from (
         select c.conbin::text from pg_catalog.pg_constraint c join type on c.contypid = type.oid and c.contypid <> 0
         union all select c.conbin::text from pg_catalog.pg_constraint c join relation on c.conrelid = relation.oid and c.contype = 'c'
         union all select pg_catalog.concat(i.indexprs::text, ' ', i.indpred::text) from pg_catalog.pg_index i
                     join relation on i.indrelid = relation.oid where i.indexprs is not null or i.indpred is not null
         union all select d.adbin::text from pg_catalog.pg_attrdef d join relation on d.adrelid = relation.oid
                     join pg_catalog.pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attgenerated <> ''
         union all select t.tgqual::text from pg_catalog.pg_trigger t join relation on t.tgrelid = relation.oid
                    where t.tgqual is not null
       ) as every(tree)), '[]') as trees,
       exists (select from pg_catalog.pg_class c join relation on c.oid = relation.oid and c.relkind = 'f') as "isForeign"`;

const functionKindsQuery = `
select distinct p.proname as name,
       case when p.proname::text = any($4::text[]) then 'volatile'
            when p.pronamespace <> 'pg_catalog'::regnamespace then 'volatile'
            when p.proname::text = any($2::text[]) then 'drawing'
            when p.proname::text = any($3::text[]) then 'reading' else 'volatile' end as kind
  from pg_catalog.pg_proc p
 where p.oid = any($1::oid[]) and (p.provolatile = 'v' or p.proname::text = any($4::text[]))
 order by 1`;
