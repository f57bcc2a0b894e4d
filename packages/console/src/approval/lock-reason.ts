import type { Round } from "../api/types.ts";
import { countApproved, type PlanChoice } from "../plans/plan-choice.ts";
import type { ConnectionState } from "../shell/connection.ts";

/** Returns why an approval can't be pressed now, or undefined if it can. */
export function explainLock({
  round,
  connection,
  hasSeenAll,
  typed,
  decision,
  isOutdated,
  choice,
  hasAnswer,
  lacksPasskey,
}: {
  readonly round: Round;
  readonly connection: ConnectionState;
  readonly hasSeenAll: boolean;
  readonly typed: string;
  readonly decision: string;
  readonly isOutdated: boolean;
  readonly choice: PlanChoice | undefined;
  /** Whether the answer is complete. True if the call asks for none. */
  readonly hasAnswer: boolean;
  readonly lacksPasskey: boolean;
}): string | undefined {
  const isGrave = round.risk === undefined || round.risk === "high" || round.risk === "critical";
  if (connection === "offline") return "You are offline, so you can't decide now.";
  if (isOutdated) return "The newest state could not be loaded, so you can't approve now.";
  if (decision === "signing") return "Confirm with your passkey.";
  if (decision === "sending") return "Sending your answer.";
  if (decision === "unknown") return "First look up whether your answer arrived.";
  if (round.preview?.changes.some(({ incomplete }) => incomplete))
    return "The preview is incomplete, so you can't approve.";
  if (choice && countApproved(choice) === 0) return "No step is left. Deny the plan instead.";
  if (lacksPasskey) return "You need a passkey to approve.";
  if (!hasAnswer) return "Answer the question first.";
  if (isGrave && !hasSeenAll) return "Read everything that will change. You can then approve.";
  if (round.risk === "critical" && round.confirmation !== undefined && typed.trim() !== round.confirmation)
    return `Type “${round.confirmation}” to approve.`;
  return undefined;
}
