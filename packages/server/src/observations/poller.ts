import { setTimeout as sleep } from "node:timers/promises";
import { type PollDeps, pollAdapter } from "./poll.ts";
import type { PollSchedule } from "./poll-config.ts";
import type { ClaimedPoll, PolledAdapter } from "./poll-store.ts";

export interface PollerDeps extends PollDeps {
  readonly watched: ReadonlyMap<string, PollSchedule>;
  /** [TRUST 10] Returns the tenants that may use an adapter now, or undefined for all tenants. */
  readonly tenantsOf?: (adapter: string) => readonly string[] | undefined;
  /** The interval between checks for due polls (default: 500 ms). */
  readonly lookMs?: number;
}

const maxConcurrentPolls = 4;
/** The maximum delay until a new tenant or adapter is polled. */
const startIntervalMs = 30_000;

/**
 * Starts polling adapters on their schedule. Several processes may run a poller. Only one process at a time holds the
 * claim on a poll, and it writes the result only while it holds the claim.
 */
export function startPoller(parts: PollerDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loop = parts.watched.size === 0 ? Promise.resolve() : runPollLoop(parts, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

async function runPollLoop(parts: PollerDeps, signal: AbortSignal): Promise<void> {
  const { pollStore, lookMs = 500, watched } = parts;
  const running = new Set<Promise<void>>();
  let begunAt = Number.NEGATIVE_INFINITY;
  let goOn = new AbortController();
  const run = (claimed: ClaimedPoll) => {
    const looking = pollClaimed(claimed, parts, signal).then((more) => {
      running.delete(looking);
      if (more) goOn.abort();
    });
    running.add(looking);
  };

  while (!signal.aborted) {
    goOn = new AbortController();
    const free = maxConcurrentPolls - running.size;
    let found = 0;
    try {
      if (performance.now() - begunAt >= startIntervalMs) {
        await pollStore.begin(toPolledAdapters([...watched.keys()], parts));
        begunAt = performance.now();
      }
      const claimed = await claimDuePolls(free, parts);
      found = claimed.length;
      for (const one of claimed) run(one);
    } catch {
      // Ignores a failed check, for example while the database is unavailable. Due polls stay due, so the next check
      // claims them.
    }
    const resting = AbortSignal.any([signal, goOn.signal]);
    if (found < free || free === 0) await sleep(lookMs, undefined, { signal: resting }).catch(() => {});
  }
  await Promise.all(running);
}

/**
 * Claims due polls of the adapters that are available in this process. Polls of other adapters are left to the
 * processes where those adapters are available.
 */
async function claimDuePolls(max: number, parts: PollerDeps): Promise<readonly ClaimedPoll[]> {
  const { pollStore, listObservable } = parts;
  const here = toPolledAdapters([...listObservable().keys()], parts);
  return here.length === 0 || max === 0 ? [] : pollStore.claim(here, max);
}

/** Polls the adapter. Returns true if the adapter has more observations to fetch now. */
async function pollClaimed(claimed: ClaimedPoll, parts: PollerDeps, signal: AbortSignal): Promise<boolean> {
  const watched = parts.watched.get(claimed.adapter);
  if (!watched) return false;
  // Ignores the error if Paraph cannot record the failure of a poll, because the poll becomes due again when the claim
  // expires.
  return pollAdapter(claimed, watched, signal, parts).catch(() => false);
}

function toPolledAdapters(adapters: readonly string[], parts: PollerDeps): PolledAdapter[] {
  return adapters.flatMap((adapter) => {
    const one = parts.watched.get(adapter);
    if (!one) return [];
    const open = parts.tenantsOf?.(adapter);
    const tenants = open?.filter((tenant) => one.tenants?.includes(tenant) ?? true) ?? one.tenants;
    return [{ adapter, tenants, leaseMs: one.patienceMs * 2 }];
  });
}
