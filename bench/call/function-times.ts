import type { CallCluster } from "./cluster.ts";

/** A function of the database, by the time spent in itself and the SQL it holds. */
export interface FunctionTime {
  readonly name: string;
  readonly calls: number;
  readonly microseconds: number;
}

/** Has the database keep count from now on. It costs a little, so only where nothing is measured. */
export async function enableFunctionCounts({ query }: CallCluster): Promise<void> {
  await query("alter system set track_functions = 'all'");
  await query("select pg_reload_conf()");
}

/** Sessions hand in their counts now and then: these are not all, but means per call hold. */
export async function readFunctionTimes({ query }: CallCluster): Promise<FunctionTime[]> {
  return query(
    `select funcname as name, calls::int, round((self_time * 1000 / calls)::numeric)::float8 as microseconds
     from pg_stat_user_functions where calls > 0 order by self_time desc limit 12`,
  );
}
