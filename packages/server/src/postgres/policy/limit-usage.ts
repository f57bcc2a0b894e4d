import type { Limit } from "@paraph/core";
import type { Pool } from "pg";
import { toCountKey } from "../calls/gate.ts";
import { withTenant } from "../database.ts";

/**
 * Returns how much of these limits is used in their current windows, by the keys of the limits. A limit that is unused
 * is missing.
 */
export async function readLimitUsage(
  app: Pool,
  tenant: string,
  limits: readonly Pick<Limit, "kind" | "key" | "windowMs">[],
): Promise<ReadonlyMap<string, { readonly used: number; readonly endsAt: number }>> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ key: string; used: number; endsAt: number }>(
      `select w.key, u.used::float8 as used, (paraph.millis(u.window_start) + w.ms)::float8 as "endsAt"
       from unnest($2::text[], $3::text[], $4::bigint[]) w (key, counter, ms)
       join paraph.usage u on u.tenant = $1 and u.key = w.counter and u.window_start = paraph.window_start(paraph.now(), w.ms)
       where u.used > 0`,
      [tenant, limits.map(({ key }) => key), limits.map(toCountKey), limits.map(({ windowMs }) => windowMs)],
    ),
  );
  return new Map(rows.map(({ key, ...rest }) => [key, rest]));
}
