import { refused, type Statement } from "./statement.ts";
import type { Transaction } from "./transaction.ts";

/** Functions of PostgreSQL's own that are volatile and reach nothing outside the transaction but a sequence. */
const harmless = [
  ...["random", "random_normal", "gen_random_uuid", "uuidv4", "uuidv7", "clock_timestamp", "timeofday"],
  ...["nextval", "currval", "lastval"],
  ...["pg_database_size", "pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size"],
];

/**
 * [P3] A volatile function can do what no rollback takes back: end sessions, write files, reach other servers. Which are
 * volatile the database knows best; one of them in any schema is enough, for which is meant the text does not tell.
 * Gives back the functions whose results may differ from one moment to the next.
 */
export async function demandHarmless(
  { functions }: Statement,
  allowed: readonly string[],
  transaction: Transaction,
): Promise<ReadonlySet<string>> {
  if (functions.length === 0) return new Set();
  const { rows } = await transaction.query(
    `select proname as name,
            bool_or(provolatile = 'v'
              and not (pronamespace = 'pg_catalog'::regnamespace and proname::text = any($2::text[]))) as volatile
       from pg_catalog.pg_proc
      where proname::text = any($1::text[]) and provolatile <> 'i'
      group by proname`,
    [functions, harmless],
  );
  const volatile = rows.find((row) => row.volatile === true && !allowed.includes(`${row.name}`));
  if (volatile) {
    throw refused(
      "function-refused",
      `\`${volatile.name}\` may do what cannot be taken back: leave it out, or name it under \`functions\` in the configuration.`,
    );
  }
  return new Set(rows.map(({ name }) => `${name}`));
}
