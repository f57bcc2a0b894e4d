import type { Call, CallRef } from "../../call.ts";
import { listEditors } from "../../editors.ts";
import type { UnsealedEvent } from "../../event.ts";
import { ParaphError } from "../../paraph-error.ts";
import { conflictedPrincipals } from "../../policy/evidence.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { sealEvents } from "../../receipts/seal.ts";
import type { Wake } from "../../store.ts";
import { applyTransition, createWake } from "../transition.ts";
import { requireProven } from "../unproven.ts";
import { requireOpenRound, requireVoterRole } from "./decide.ts";
import { toOpenQuestion, voteEligibility } from "./vote-eligibility.ts";

/**
 * [TRUST 16] Records the paths of the sensitive fields that this person is about to see, before Paraph shows the
 * fields.
 */
export async function recordReveal(
  given: { readonly call: CallRef; readonly by: Principal; readonly paths: readonly string[] },
  ports: Ports,
): Promise<Call> {
  const { by, paths } = given;
  const noted = await recordFact(
    given.call,
    async (_, at) => ({ kind: "revealed", at, data: { by: by.id, paths } }),
    ports,
  );
  if (noted) return noted;
  throw new ParaphError(
    "approval-closed",
    "The approval is closed, so Paraph no longer reveals sensitive fields.",
  );
}

/**
 * Reassigns a vote. Another person votes in place of the approver, and that person's approval then also counts in the
 * approver's groups. Groups that the approver has as a delegate are not passed on, because they were delegated to the
 * approver alone.
 */
export async function reassign(
  given: {
    readonly approval: string;
    readonly digest: string;
    readonly by: Principal;
    readonly to: string;
    /** Whether `to` is a person who is neither frozen nor disabled (default: true). */
    readonly isPerson?: boolean;
  },
  ports: Ports,
): Promise<{ readonly call: Call; readonly wakes: readonly Wake[] }> {
  const { approval, by, to, isPerson = true } = given;
  const found = await ports.store.findByApproval(by.tenant, approval);
  if (!found)
    throw new ParaphError(
      "approval-unknown",
      "There is no such approval. `paraph approvals` lists open approvals.",
    );
  await requireProven(found, ports);
  await requireVoterRole(found, by, ports);
  // If the new approver cannot vote, the former approver's vote would be lost.
  const cannotVote = [by.id, ...conflictedPrincipals(found.principal), ...listEditors(found)];
  if (!isPerson || cannotVote.includes(to))
    throw new ParaphError(
      "approver-not-allowed",
      `\`${to}\` can't approve this request. Reassign the approval to another person who neither requested nor edited it.`,
    );
  const noted = await recordFact(
    found,
    async (call, at) => {
      const round = requireOpenRound(call, given);
      const hasOther = await ports.store.hasOtherPerson(call.tenant, [by.id]);
      const { groups, inPlaceOf, ineligibleReason } = voteEligibility(
        by,
        [],
        toOpenQuestion(call, round),
        !hasOther,
      );
      if (ineligibleReason !== undefined)
        throw new ParaphError(
          "approver-not-allowed",
          "Only an eligible approver can reassign this approval.",
        );
      if (round.votes.some((vote) => vote.by === by.id))
        throw new ParaphError(
          "approver-not-allowed",
          "You have already voted, so you cannot reassign your vote.",
        );
      return {
        kind: "reassigned",
        at,
        data: {
          round: round.round,
          by: by.id,
          to,
          ...(groups.length > 0 && { groups }),
          ...(inPlaceOf.length > 0 && { inPlaceOf }),
        },
      };
    },
    ports,
  );
  if (!noted) throw new ParaphError("approval-closed", "This approval is closed, so it was not reassigned.");
  return { call: noted, wakes: [createWake(noted, noted.nextAt)] };
}

/**
 * Records a fact about a call that waits for people, without changing its state. `nextAt` computes when the call is due
 * again, if the fact changes that.
 */
export async function recordFact(
  ref: CallRef,
  fact: (call: Call, at: number) => Promise<UnsealedEvent>,
  ports: Ports,
  nextAt: (call: Call) => number | undefined = (call) => call.nextAt,
): Promise<Call | undefined> {
  for (;;) {
    const { tenant, call: id } = ref;
    const call = await ports.store.load({ tenant, call: id });
    // Records nothing if the call no longer waits for people, because it then belongs to the segment that runs it. A
    // further event would change the epoch, so that the segment could not write its result.
    if (call?.state !== "asking") return undefined;
    const events = sealEvents(call, [await fact(call, ports.clock.now())], ports.sealer);
    const after = applyTransition(call, { state: "asking", nextAt: call.nextAt, events }, call.epoch);
    const move = { state: "asking", nextAt: nextAt(after), events } as const;
    const committed = await ports.store.commit({ tenant, call: id, epoch: call.epoch, ...move });
    if (committed.kind === "done") return applyTransition(call, move, committed.epoch);
  }
}
