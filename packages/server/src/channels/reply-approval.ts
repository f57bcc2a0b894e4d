import { type Approval, type Call, type Contract, lastEvent, type Ports, type Risk } from "@paraph/core";

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
  if (isRiskTooHigh(call, contract)) return "risk-too-high";
  const isAllowed = round.guards.length > 0 && round.guards.every(({ reply }) => reply === "approve");
  return isAllowed ? undefined : "reply-not-allowed";
}

/**
 * [TRUST 27] Returns whether a dialog of a chat service may approve the request: the risk is low or medium, no policy
 * demands a passkey, and the capability asks for no answer.
 */
export function isChatApprovable(
  call: Call,
  { guards }: Approval,
  capability: ReturnType<Ports["catalog"]["find"]>,
): boolean {
  return (
    capability !== undefined &&
    capability.contractDigest === call.contractDigest &&
    capability.parseAnswer === undefined &&
    !isRiskTooHigh(call, capability.contract) &&
    guards.every(({ proof }) => proof === undefined)
  );
}

function isRiskTooHigh(call: Call, contract: Contract | undefined): boolean {
  const steps = lastEvent(call.events, "asked")?.data.steps;
  if (!contract || (contract.composite && !steps)) return true;
  const risks = [contract.risk, ...(Object.keys(steps ?? {}) as Risk[])];
  return !risks.every((risk) => maxRisks.includes(risk));
}
