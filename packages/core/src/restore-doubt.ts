import type { Call } from "./call.ts";
import type { Contract } from "./capability/contract.ts";

/** The fields of a call that tell whether a restore of the database lost its last attempts. */
type RestoredCall = Pick<Call, "events" | "restoredAt">;

/**
 * [P7] Returns the earliest time of an attempt that a restore of the database may have removed from the record. Returns
 * undefined if the call was accepted after the last restore. The `accepted` event is sealed, so a program with access to
 * the database cannot make the call look younger.
 */
export function findDoubtSince({ events, restoredAt }: RestoredCall): number | undefined {
  const [accepted] = events;
  if (restoredAt === undefined || accepted === undefined) return undefined;
  const inherited = accepted.kind === "accepted" ? accepted.data.doubtSince : undefined;
  if (accepted.at >= restoredAt || inherited !== undefined) return inherited;
  // A lost attempt followed every event that the restored rows still have.
  return events.findLast(({ at }) => at < restoredAt)?.at;
}

/**
 * [P7] Returns whether the call may have acted before a restore, without a record of it, and has written no intent
 * since. A read has no effect to doubt.
 */
export function isInDoubt(
  call: RestoredCall & Pick<Call, "attempts">,
  contract: Pick<Contract, "effect">,
): boolean {
  if (contract.effect === "read" || findDoubtSince(call) === undefined) return false;
  // A step of a composite from before the restore is opened after it, under the id that a lost step had.
  const since = Math.max(call.events[0]!.at, call.restoredAt!);
  return !call.attempts.some(({ at }) => at >= since);
}

/** Returns the call for the rest of this segment, after the external system showed that it did not act. */
export function withoutDoubt({ restoredAt: _settled, ...call }: Call): Call {
  return call;
}
