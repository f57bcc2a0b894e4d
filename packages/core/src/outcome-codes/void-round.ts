import type { Approval } from "../approval.ts";
import { type Event, eventsOfKind } from "../event.ts";
import { type OutcomeCode, type OutcomeCodeType, outcomeCodes } from "./outcome-codes.ts";

/** The code with which a round becomes void. If the call ends with the round, it is the code of the outcome. */
export type VoidCode = OutcomeCode | "checked-again";

const reasons: { readonly [Code in VoidCode]?: string } = {
  "approval-insufficient": "Policy now demands other approvals.",
  "approver-barred": "An approver was frozen or disabled.",
  "basis-changed": "The underlying data changed.",
  "checked-again": "After new checks, policy demands a new approval.",
  "contract-changed": "The contract of the capability changed.",
  "not-applied-in-time": "The approval became too old.",
};

/** Returns the sentence that says why the votes of a void round no longer count. */
export function explainVoidRound(code: string | undefined): string {
  const codes: Readonly<Record<string, OutcomeCodeType>> = outcomeCodes;
  if (code !== undefined && Object.hasOwn(reasons, code)) return reasons[code as VoidCode]!;
  if (code !== undefined && Object.hasOwn(codes, code)) return codes[code]!.meaning.replaceAll("`", "");
  return "The earlier approval is no longer valid.";
}

/** Returns what approvers read in a round that follows a void one. */
export function explainNewRound(code: string | undefined): string {
  const next = code === "basis-changed" ? "Review the new preview." : "Review the request again.";
  return `${explainVoidRound(code)} Earlier votes no longer count. ${next}`;
}

/** Returns the code with which this round became void or, if it is not void, with which the round before did. */
export function findVoidCode(
  events: readonly Event[],
  { round, status }: Pick<Approval, "round" | "status">,
): string | undefined {
  const number = status === "void" ? round : round - 1;
  // An approved round is closed once more when it becomes void.
  const isVoided = ({ data }: Event<"round-closed">) => data.round === number && data.status === "void";
  return eventsOfKind(events, "round-closed").find(isVoided)?.data.code;
}
