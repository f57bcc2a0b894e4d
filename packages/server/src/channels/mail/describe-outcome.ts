import type { OutcomeKind } from "@paraph/core";
import type { CallContent } from "../notice-content.ts";
import type { MailDocument } from "./document.ts";

const outcomeTexts: Readonly<Record<OutcomeKind, string>> = {
  succeeded: "The call succeeded",
  failed: "The call failed",
  refused: "Paraph refused the call",
  denied: "Denied",
  expired: "Expired without a decision. The call did not run",
  cancelled: "Cancelled. The call did not run",
  superseded: "Replaced by a newer request",
  unknown: "The outcome is unknown. A person has to check the external system",
};

/** Says in one line how a request ended, or that it was approved. */
export function describeOutcome({
  status,
  outcome,
  votes,
}: Pick<CallContent, "status" | "outcome" | "votes">): Pick<MailDocument, "tone" | "status"> {
  const voters = (decision: string) => votes.filter((vote) => vote.decision === decision).map(({ by }) => by);
  const approved = voters("approve");
  const approvedBy = approved.length > 0 ? `Approved by ${approved.join(", ")}. ` : "";
  if (!outcome)
    return { tone: "still", status: `${approvedBy}${status === "approved" ? "The call is running." : ""}` };
  if (outcome.kind === "denied") {
    const isReturned = votes.some(({ decision }) => decision === "return");
    const by = voters(isReturned ? "return" : "deny").join(", ");
    const verb = isReturned ? "Returned with instructions" : "Denied";
    return { tone: "bad", status: `${verb}${by === "" ? "" : ` by ${by}`}. The call did not run.` };
  }
  const tone = ["failed", "refused", "unknown"].includes(outcome.kind) ? "bad" : "still";
  const code = tone === "bad" ? ` (${outcome.code})` : "";
  return { tone, status: `${status === "approved" ? approvedBy : ""}${outcomeTexts[outcome.kind]}${code}.` };
}
