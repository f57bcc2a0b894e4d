import type { Call } from "../../call.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import type { Wake } from "../../store.ts";
import { createWake } from "../transition.ts";
import { requireProven } from "../unproven.ts";
import { requireOpenRound, requireVoterRole } from "./decide.ts";
import { nextEscalationAt } from "./escalation.ts";
import { recordFact } from "./reassign.ts";
import { toOpenQuestion, voteEligibility } from "./vote-eligibility.ts";

/**
 * Records that an approver looks at a request, which every reader of the call sees. The next reminder or escalation of
 * the round waits for the configured time. The round still expires when it would have expired, and the approver can
 * delay it only once, because a repeated acknowledgement by the same person changes nothing.
 */
export async function acknowledge(
  given: { readonly approval: string; readonly digest: string; readonly by: Principal },
  ports: Ports,
): Promise<{ readonly call: Call; readonly until: number; readonly wakes: readonly Wake[] }> {
  const { approval, by } = given;
  const found = await ports.store.findByApproval(by.tenant, approval);
  if (!found)
    throw new ParaphError(
      "approval-unknown",
      "There is no such approval. `paraph approvals` lists open approvals.",
    );
  await requireProven(found, ports);
  await requireVoterRole(found, by, ports);
  const earlier = findAcknowledgement(found, by.id);
  if (earlier !== undefined && found.approval?.status === "open")
    return { call: found, until: earlier, wakes: [] };
  let until = 0;
  const noted = await recordFact(
    found,
    async (call, at) => {
      const round = requireOpenRound(call, given);
      const [delegations, hasOther] = await Promise.all([
        ports.store.delegationsTo(call.tenant, by.id),
        ports.store.hasOtherPerson(call.tenant, [by.id]),
      ]);
      const question = toOpenQuestion(call, round);
      if (voteEligibility(by, delegations, question, !hasOther).ineligibleReason !== undefined)
        throw new ParaphError(
          "approver-not-allowed",
          "Only an eligible approver can acknowledge this request.",
        );
      until = Math.min(at + ports.settings.acknowledgeMs, round.expiresAt);
      return { kind: "acknowledged", at, data: { round: round.round, by: by.id, until } };
    },
    ports,
    (call) => (call.approval ? nextEscalationAt(call, call.approval, ports) : call.nextAt),
  );
  if (!noted) throw new ParaphError("approval-closed", "This approval is closed.");
  return { call: noted, until, wakes: [createWake(noted, noted.nextAt)] };
}

function findAcknowledgement({ events, approval }: Call, by: string): number | undefined {
  const found = events.findLast(
    ({ kind, data }) => kind === "acknowledged" && data.by === by && data.round === approval?.round,
  );
  return found?.kind === "acknowledged" ? found.data.until : undefined;
}
