import { setTimeout as sleep } from "node:timers/promises";
import { type LookParts, look } from "./look.ts";
import type { Claimed, Watching } from "./perceptions.ts";
import type { Watched } from "./watched.ts";

export interface PerceiverParts extends LookParts {
  readonly watched: ReadonlyMap<string, Watched>;
  /** [TRUST 10] The tenants that may use an adapter now; undefined for all of them. */
  readonly tenantsOf?: (adapter: string) => readonly string[] | undefined;
  /** How often to see whether something is due: 500 ms unless given. */
  readonly lookMs?: number;
}

const atOnce = 4;
/** A tenant that is new, or an adapter, is looked after within this time. */
const beginEveryMs = 30_000;

/**
 * Has adapters look at the world on their schedule. Any number of processes may do so: each look is claimed by one, and
 * what it finds is written only while the claim holds.
 */
export function startPerceiving(parts: PerceiverParts): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loop = parts.watched.size === 0 ? Promise.resolve() : onAndOn(parts, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

async function onAndOn(parts: PerceiverParts, signal: AbortSignal): Promise<void> {
  const { perceptions, lookMs = 500, watched } = parts;
  const running = new Set<Promise<void>>();
  let begunAt = Number.NEGATIVE_INFINITY;
  let goOn = new AbortController();
  const run = (claimed: Claimed) => {
    const looking = lookAt(claimed, parts, signal).then((more) => {
      running.delete(looking);
      if (more) goOn.abort();
    });
    running.add(looking);
  };

  while (!signal.aborted) {
    goOn = new AbortController();
    const free = atOnce - running.size;
    let found = 0;
    try {
      if (performance.now() - begunAt >= beginEveryMs) {
        await perceptions.begin(watchingOf([...watched.keys()], parts));
        begunAt = performance.now();
      }
      const claimed = await claim(free, parts);
      found = claimed.length;
      for (const one of claimed) run(one);
    } catch {
      // The database is away: what is due stays due.
    }
    const resting = AbortSignal.any([signal, goOn.signal]);
    if (found < free || free === 0) await sleep(lookMs, undefined, { signal: resting }).catch(() => {});
  }
  await Promise.all(running);
}

/** An adapter that is away here may be there in another process: its looks are left to that one. */
async function claim(most: number, parts: PerceiverParts): Promise<readonly Claimed[]> {
  const { perceptions, perceiving } = parts;
  const here = watchingOf([...perceiving().keys()], parts);
  return here.length === 0 || most === 0 ? [] : perceptions.claim(here, most);
}

/** True: there is more right now. */
async function lookAt(claimed: Claimed, parts: PerceiverParts, signal: AbortSignal): Promise<boolean> {
  const watched = parts.watched.get(claimed.adapter);
  if (!watched) return false;
  // What could not even be written down as failed is due again when the claim has run out.
  return look(claimed, watched, signal, parts).catch(() => false);
}

function watchingOf(adapters: readonly string[], parts: PerceiverParts): Watching[] {
  return adapters.flatMap((adapter) => {
    const one = parts.watched.get(adapter);
    if (!one) return [];
    const open = parts.tenantsOf?.(adapter);
    const tenants = open?.filter((tenant) => one.tenants?.includes(tenant) ?? true) ?? one.tenants;
    return [{ adapter, tenants, leaseMs: one.patienceMs * 2 }];
  });
}
