import type { Call } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { CapabilityError, toFault } from "../../capability/fault.ts";
import { lastEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { sameJson, sha256Hex } from "../../receipts/digest.ts";
import type { Wake } from "../../store.ts";
import { type AppliedResult, checkOutput, type Result } from "../attempt/attempt.ts";
import { toAttemptTiming } from "../attempt/attempt-events.ts";
import { closeAfterAttempt } from "../attempt/conclude.ts";
import { requireCapability } from "../ruling/draft.ts";
import { applyTransition, wakeParent } from "../transition.ts";
import { findOpenAttempt, requireOwnCall } from "./claim.ts";

/** An agent's report on a call that it claimed. */
export interface AgentReport {
  readonly call: string;
  readonly by: Principal;
  /** The token of the claim. */
  readonly claimToken: string;
  readonly report: Report;
}

/**
 * The result of a call, as the agent that performed it reports it. `ambiguous` means that the effect may have happened.
 */
export type Report =
  | { readonly as: "succeeded"; readonly output: Json }
  | { readonly as: "not-performed" | "ambiguous"; readonly code: string; readonly message: string };

/** Closes a claimed call with the agent's report. A repeated report with the same content has no further effect. */
export async function reportResult(
  report: AgentReport,
  ports: Ports,
): Promise<{ readonly call: Call; readonly wakes: readonly Wake[] }> {
  const claimToken = sha256Hex(report.claimToken);
  for (;;) {
    const call = await requireOwnCall(report, ports);
    const capability = requireCapability(call.tenant, call.capability, ports);
    const result = toResult(call, capability, report.report);
    if (isSameReport(call, claimToken, result)) return { call, wakes: [] };
    const attempt = findOpenAttempt(call, claimToken);
    if (!attempt) throw notTakenError(call);

    const move = await closeAfterAttempt(call, capability, result, toAttemptTiming(attempt), ports);
    const { tenant, call: id, epoch } = call;
    const timely = { before: attempt.deadline };
    const committed = await ports.store.commit({ tenant, call: id, epoch, ...move, timely });
    if (committed.kind === "done") {
      const ended = applyTransition(call, move, committed.epoch);
      return { call: ended, wakes: [...committed.wake, ...wakeParent(ended)] };
    }
    // [P15] The store's clock decides that the report is late, whatever this process's clock shows.
    if (committed.kind === "untimely") throw reportLateError();
  }
}

/**
 * Validates the output against the contract, as for any capability. If the contract has changed, the output cannot be
 * validated.
 */
function toResult(call: Call, capability: Capability, report: Report): Result<AppliedResult> {
  if (report.as !== "succeeded")
    return { kind: "fault", fault: toFault(new CapabilityError(report.as, report.code, report.message)) };
  const exactly = capability.contractDigest === call.contractDigest;
  const value: AppliedResult = exactly
    ? checkOutput(capability, report.output)
    : { output: undefined, code: "contract-changed" };
  return { kind: "value", value };
}

function isSameReport(call: Call, claimToken: string, result: Result<AppliedResult>): boolean {
  const intended = lastEvent(call.events, "intended");
  const attempted = lastEvent(call.events, "attempted");
  if (call.state !== "closed" || intended?.data.claimToken !== claimToken) return false;
  if (result.kind === "fault")
    return attempted?.data.as === result.fault.kind && attempted.data.code === result.fault.code;
  return attempted?.data.as === "succeeded" && sameJson(call.payloads.output?.value, result.value.output);
}

function notTakenError(call: Call): ParaphError {
  const attempted = lastEvent(call.events, "attempted");
  if (attempted?.data.as === "lost") return reportLateError();
  if (call.state === "closed")
    return new ParaphError(
      "call-closed",
      `This call has ended (${call.outcome?.kind}), so Paraph did not record this report.`,
    );
  return new ParaphError(
    "not-claimed",
    "This call was not claimed with this claim token. Claim the call first, and report only what you performed for it.",
  );
}

function reportLateError(): ParaphError {
  return new ParaphError(
    "report-late",
    "The deadline for the report has passed, so Paraph does not know whether the call took effect. A person must resolve the call.",
  );
}
