import type { OutcomeKind } from "@paraph/core";
import type { Pool } from "pg";
import { approvalAges, type Backlog, readBacklog } from "./backlog.ts";
import { summarizeByAdapter } from "./calls/statistics.ts";
import { type Query, withTenant } from "./database.ts";

/** The periods that count as recent. An adapter needs some calls before its durations mean something. */
const outcomeSeconds = 60;
const adapterSeconds = 300;

/** The current load of one tenant. */
export interface Load extends Omit<Backlog, "approvals"> {
  readonly at: number;
  readonly approvals: Pick<Backlog["approvals"], "count" | "oldestMs"> & {
    /** The open approvals by age in minutes, the newest first. The last range has no end. */
    readonly byAge: readonly { readonly from: number; readonly to?: number; readonly count: number }[];
  };
  readonly outcomes: {
    readonly seconds: number;
    readonly counts: Readonly<Partial<Record<OutcomeKind, number>>>;
  };
  readonly adapters: {
    readonly seconds: number;
    /** The adapters that performed calls, the slowest first. */
    readonly slowest: readonly AdapterLoad[];
  };
}

interface AdapterLoad {
  readonly adapter: string;
  readonly calls: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

const maxAdapters = 20;

/** Reads the current load of a tenant. It gives up after two seconds, because a live view reads again soon. */
export async function readLoad(pool: Pool, tenant: string): Promise<Load> {
  return withTenant(pool, tenant, async (query) => {
    await query("select set_config('statement_timeout', '2000', true)");
    const [clock] = await query<{ now: Date }>("select paraph.now() as now");
    const at = clock!.now.getTime();
    const { approvals, ...waiting } = await readBacklog(query);
    return {
      at,
      ...waiting,
      approvals: { ...approvals, byAge: approvals.byAge.map(toAgeRange) },
      outcomes: { seconds: outcomeSeconds, counts: await countOutcomes(query, tenant, at) },
      adapters: { seconds: adapterSeconds, slowest: await listSlowAdapters(query, tenant, at) },
    };
  });
}

function toAgeRange(count: number, range: number) {
  const to = approvalAges[range];
  return { from: approvalAges[range - 1] ?? 0, ...(to !== undefined && { to }), count };
}

async function countOutcomes(query: Query, tenant: string, at: number) {
  const counts: Partial<Record<OutcomeKind, number>> = {};
  for (const { outcomes } of await summarizeByAdapter(query, tenant, at - outcomeSeconds * 1_000))
    for (const [kind, count] of Object.entries(outcomes) as [OutcomeKind, number][])
      counts[kind] = (counts[kind] ?? 0) + count;
  return counts;
}

async function listSlowAdapters(query: Query, tenant: string, at: number): Promise<AdapterLoad[]> {
  const groups = await summarizeByAdapter(query, tenant, at - adapterSeconds * 1_000);
  return groups
    .flatMap(({ adapter, actingMs, calls }) =>
      actingMs && adapter !== undefined ? [{ adapter, calls, p50Ms: actingMs.p50, p95Ms: actingMs.p95 }] : [],
    )
    .sort((a, b) => b.p95Ms - a.p95Ms)
    .slice(0, maxAdapters);
}
