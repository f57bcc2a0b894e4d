import type { Approval } from "../../approval.ts";
import { type Call, hasBegun, mayHaveActed } from "../../call.ts";
import type { NewEvent } from "../../event.ts";
import { ParaphError } from "../../paraph-error.ts";
import { conflictedPrincipals } from "../../policy/evidence.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { commitment } from "../../receipts/digest.ts";
import type { NewPayload, Transition, Wake } from "../../store.ts";
import { closeCall, createPayload } from "../close.ts";
import { applyTransition, createWake, wakeParent } from "../transition.ts";

/**
 * Withdraws a call before it acts, and closes it as cancelled. The requester, the requester's owner and the person for
 * whom the requester acts may withdraw the call.
 */
export async function withdrawCall(
  given: { readonly call: string; readonly by: Principal; readonly reason?: string },
  ports: Ports,
): Promise<{ readonly call: Call; readonly wakes: readonly Wake[] }> {
  const { tenant, id } = given.by;
  for (;;) {
    const call = await ports.store.load({ tenant, call: given.call });
    if (!call || !conflictedPrincipals(call.principal).includes(id))
      throw new ParaphError(
        "call-unknown",
        "You have no call with this id. `paraph calls` lists your calls.",
      );
    if (call.state === "closed")
      throw new ParaphError(
        "call-closed",
        `This call has ended (${call.outcome?.kind}), so it cannot be withdrawn.`,
      );
    if (call.state === "performing" || mayHaveActed(call))
      throw new ParaphError(
        "call-acting",
        "This call is already being performed. Wait for its outcome, then undo it.",
      );
    const reasons = given.reason === undefined ? [] : [createPayload("reason", given.reason, ports)];
    const at = ports.clock.now();
    const withdrawn = {
      kind: "withdrawn",
      at,
      data: {
        by: id,
        ...Object.fromEntries(reasons.map(({ name, salt, value }) => [name, commitment(salt, value)])),
      },
    } as const;
    const move = hasBegun(call)
      ? stopComposite(call, withdrawn, reasons)
      : await closeCall(
          call,
          {
            outcome: { kind: "cancelled", code: "withdrawn" },
            events: [withdrawn, ...roundWithdrawnEvents(call, at)],
            payloads: reasons,
            ...closeOpenRound(call),
          },
          ports,
        );
    const committed = await ports.store.commit({ tenant, call: call.call, epoch: call.epoch, ...move });
    // A vote or a segment came first, so the loop reads the call again.
    if (committed.kind !== "done") continue;
    const moved = applyTransition(call, move, committed.epoch);
    const own = hasBegun(moved) && moved.state !== "closed" ? [createWake(moved)] : wakeParent(moved);
    return { call: moved, wakes: [...committed.wake, ...own] };
  }
}

/**
 * Withdraws a composite that has begun. The composite starts no further step, and its waiting steps are withdrawn with
 * it. It ends once all of its steps have ended.
 */
function stopComposite(call: Call, withdrawn: NewEvent, payloads: readonly NewPayload[]): Transition {
  if (isWithdrawn(call))
    throw new ParaphError(
      "call-acting",
      "This call was already withdrawn. It ends when its running steps end.",
    );
  return { state: call.state, nextAt: withdrawn.at, events: [withdrawn], payloads };
}

/** Returns whether the call was withdrawn. */
export function isWithdrawn({ events }: Pick<Call, "events">): boolean {
  return events.some(({ kind }) => kind === "withdrawn");
}

/** Voids the round, because people can no longer decide about it. */
function closeOpenRound({ approval }: Call): Pick<Transition, "closeRound"> {
  return isStanding(approval) ? { closeRound: { approval: approval.id, status: "void" } } : {};
}

function roundWithdrawnEvents({ approval }: Call, at: number): NewEvent[] {
  if (!isStanding(approval)) return [];
  return [{ kind: "round-closed", at, data: { round: approval.round, status: "void", code: "withdrawn" } }];
}

function isStanding(approval: Approval | undefined): approval is Approval {
  return approval?.status === "open" || approval?.status === "approved";
}
