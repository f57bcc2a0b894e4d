import { type Approval, type Call, type Contract, lastEvent, type Risk } from "@paraph/core";

/** Why a reply cannot approve a request. */
export type ReplyApprovalFault = "reply-not-allowed" | "risk-too-high";

const maxRisks: readonly Risk[] = ["low", "medium"];

/**
 * [TRUST 3] Returns why a reply cannot approve the request. Every guard must allow it, and neither the call nor a step of
 * it may have a high or critical risk. A contract that is missing or changed counts as high risk.
 */
export function findReplyApprovalFault(
  call: Call,
  round: Approval,
  contract: Contract | undefined,
): ReplyApprovalFault | undefined {
  const steps = lastEvent(call.events, "asked")?.data.steps;
  if (!contract || (contract.composite && !steps)) return "risk-too-high";
  const risks = [contract.risk, ...(Object.keys(steps ?? {}) as Risk[])];
  if (!risks.every((risk) => maxRisks.includes(risk))) return "risk-too-high";
  const isAllowed = round.guards.length > 0 && round.guards.every(({ reply }) => reply === "approve");
  return isAllowed ? undefined : "reply-not-allowed";
}
