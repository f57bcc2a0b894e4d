import { type Call, hasBegun, mayHaveActed } from "../call.ts";
import type { EventKind } from "../event.ts";
import type { OutcomeCode } from "../outcome-codes/outcome-codes.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Ports } from "../ports.ts";
import { isStillActing } from "./attempt/unknown.ts";
import { commitTransition, type Rested, restCall } from "./transition.ts";

/**
 * The number of failed segments after which the call waits for a person. The retries up to this number take about half
 * an hour.
 */
const maxFailures = 15;
const firstPauseMs = 200;
const maxPauseMs = 10 * 60_000;

/**
 * Handles a segment that threw. Paraph retries at growing intervals. It finally marks the call as *stuck*, with the
 * code of the failure, until a person resumes the call. While the store itself is unavailable, Paraph cannot count
 * failures, and the engine retries.
 */
export async function handleFailedSegment(call: Call, error: unknown, ports: Ports): Promise<Rested> {
  const now = await ports.store.load(call).catch(() => undefined);
  if (!now) throw error;
  if (now.state === "closed" || now.stuck !== undefined) return restCall(now);
  const open = now.attempts.findLast(({ ended }) => ended === undefined);
  // The process that is acting will commit its result at this epoch, so no other write may come before that commit.
  if (open && isStillActing(open, ports)) throw error;

  const code = error instanceof ParaphError ? error.code : "unexpected-error";
  return recordFailure(now, code, countFailures(now) + 1, ports).catch(() => {
    throw error;
  });
}

/** Marks the call as stuck immediately, as if it had reached the maximum number of failed segments. */
export async function markStuck(call: Call, code: OutcomeCode, ports: Ports): Promise<Rested> {
  return recordFailure(call, code, maxFailures, ports);
}

async function recordFailure(now: Call, code: string, failures: number, ports: Ports): Promise<Rested> {
  const at = ports.clock.now();
  const isStuck = failures >= maxFailures;
  const waitMs = Math.min(firstPauseMs * 2 ** (failures - 1), maxPauseMs);
  const unlock = isStuck && now.lockKeys.length > 0 && !hasBegun(now) && !mayHaveActed(now);
  const then = isStuck ? ({ stuck: true, ...(unlock && { freed: true as const }) } as const) : { waitMs };
  const committed = await commitTransition(
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
  // This process sends no message for the retry, because the sweeper sends one when the pause is over.
  return restCall(committed.call, committed.wakes);
}

/** The kinds of events that do not count as progress, because a segment may write them and still fail. */
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
