import { setTimeout as delay } from "node:timers/promises";
import type { DecisionTiming, WaitingCall } from "./approval-requests.ts";
import type { DecisionCluster } from "./cluster.ts";

/** The times at which each call was started, by call id. */
export type StartTimes = ReadonlyMap<string, readonly number[]>;

/** Waits until all calls have closed, with any outcome, and returns when each was started. */
export async function waitForStarts(
  cluster: DecisionCluster,
  asked: readonly WaitingCall[],
  withinMs = 60_000,
): Promise<StartTimes> {
  const ids = asked.map(({ call }) => call);
  const until = performance.now() + withinMs;
  for (;;) {
    const [row] = await cluster.query<{ open: number }>(
      "select count(*)::int as open from paraph.call where id = any ($1) and state <> 'closed'",
      [ids],
    );
    if (row?.open === 0 || performance.now() > until) break;
    await delay(50);
  }
  const begun = new Map<string, number[]>(ids.map((id) => [id, []]));
  for (const { call, at } of await cluster.takeStartedCalls()) begun.get(call)?.push(at);
  return begun;
}

/** Reads when each call closed, by PostgreSQL's clock, which is the machine's clock here. */
export async function readCloseTimes(
  { query }: DecisionCluster,
  asked: readonly WaitingCall[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ id: string; at: number }>(
    "select id, (extract(epoch from closed_at) * 1000)::float8 as at from paraph.call where id = any ($1) and closed_at is not null",
    [asked.map(({ call }) => call)],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/**
 * Returns the faults of a run in which all calls were approved. Each decision must count, and each call must start
 * once.
 */
export function findFaults(
  asked: readonly WaitingCall[],
  answers: readonly DecisionTiming[],
  begun: StartTimes,
): readonly string[] {
  const refused = answers.filter(({ status }) => status !== 200);
  const amiss = asked.filter(({ call }) => begun.get(call)?.length !== 1);
  return [
    ...(refused.length > 0
      ? [`${refused.length} decisions did not count, first: ${refused[0]?.status} ${refused[0]?.code}`]
      : []),
    ...(amiss.length > 0
      ? [`${amiss.length} calls were not carried out once, first: ${amiss[0]?.call}`]
      : []),
  ];
}
