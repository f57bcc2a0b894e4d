import { type Call, hasBegun, mayHaveActed } from "../../call.ts";
import type { EventKind } from "../../event.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports } from "../../ports.ts";
import { commitTransition, type Rested, restCall } from "../transition.ts";
import { isStillActing } from "./recover.ts";

/** After so many failing segments, about half an hour of them, the call is left to a person. */
const maxFailures = 15;
const firstPauseMs = 200;
const maxPauseMs = 10 * 60_000;

/**
 * A segment that throws is tried again later and later, and in the end no more: the call is *stuck* with the code of
 * what failed, until a person lets it go on. While the store itself is away nothing can be counted, and the error is
 * the engine's to retry.
 */
export async function handleFailedSegment(call: Call, error: unknown, ports: Ports): Promise<Rested> {
  const now = await ports.store.load(call).catch(() => undefined);
  if (!now) throw error;
  if (now.state === "closed" || now.stuck !== undefined) return restCall(now);
  const open = now.attempts.findLast(({ ended }) => ended === undefined);
  // Whoever acts writes what came of it at this epoch: nothing may be written in between.
  if (open && isStillActing(open, ports)) throw error;

  const code = error instanceof ParaphError ? error.code : "unexpected-error";
  return recordFailure(now, code, countFailures(now) + 1, ports).catch(() => {
    throw error;
  });
}

/** Leaves the call to a person, as after the last of its failing segments. */
export async function markStuck(call: Call, code: string, ports: Ports): Promise<Rested> {
  return recordFailure(call, code, maxFailures, ports);
}

async function recordFailure(now: Call, code: string, failures: number, ports: Ports): Promise<Rested> {
  const at = ports.clock.now();
  const isStuck = failures >= maxFailures;
  const waitMs = Math.min(firstPauseMs * 2 ** (failures - 1), maxPauseMs);
  const unlock = isStuck && now.lockKeys.length > 0 && !hasBegun(now) && !mayHaveActed(now);
  const then = isStuck ? ({ stuck: true, ...(unlock && { freed: true as const }) } as const) : { waitMs };
  const moved = await commitTransition(
    now,
    {
      state: now.state,
      nextAt: isStuck ? undefined : at + waitMs,
      events: [{ kind: "segment-failed", at, data: { code, failures, ...then } }],
      segment: "failed",
      unlock,
      ...(isStuck && { stuck: code }),
    },
    ports,
  );
  // No timer is sent: the sweeper comes when the pause is over, and one message is enough.
  return restCall(moved.call, moved.wakes);
}

/** A segment may write these and fail all the same: they are no progress. */
const kindsWithoutProgress: readonly EventKind[] = [
  "segment-failed",
  "locked",
  "queued",
  "ruled",
  "intended",
  "attempted",
];

function countFailures({ events }: Call): number {
  const progress = events.findLastIndex(({ kind }) => !kindsWithoutProgress.includes(kind));
  return events.slice(progress + 1).filter(({ kind }) => kind === "segment-failed").length;
}
