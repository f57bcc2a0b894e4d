import type { CallCluster } from "./cluster.ts";

/** A database function and its self time, which includes the SQL statements inside the function. */
export interface FunctionTime {
  readonly name: string;
  readonly calls: number;
  readonly microseconds: number;
}

/** Enables function statistics in the database. They cost some time, so no measured run enables them. */
export async function enableFunctionCounts({ query }: CallCluster): Promise<void> {
  await query("alter system set track_functions = 'all'");
  await query("select pg_reload_conf()");
}

/**
 * Returns the functions with the largest self time. Sessions report with a delay, so the counts are incomplete. The
 * mean times per call are still valid.
 */
export async function readFunctionTimes({ query }: CallCluster): Promise<FunctionTime[]> {
  return query(
    `select funcname as name, calls::int, round((self_time * 1000 / calls)::numeric)::float8 as microseconds
     from pg_stat_user_functions where calls > 0 order by self_time desc limit 12`,
  );
}
