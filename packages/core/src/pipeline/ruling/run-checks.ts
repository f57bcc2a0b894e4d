import type { Call } from "../../call.ts";
import { callInput } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import type { UnsealedEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import type { Checked, CheckResult } from "../../policy/check.ts";
import type { Ports } from "../../ports.ts";
import { commitment } from "../../receipts/digest.ts";
import { sealEvent } from "../../receipts/seal.ts";
import type { NewPayload, Transition } from "../../store.ts";
import { runCheckCapability } from "../attempt/attempt.ts";
import { createPayload } from "../close.ts";
import { digestForApproval } from "../round.ts";

/**
 * Returns the check results that count for the call with this preview. Results count only for exactly the bytes that
 * were checked.
 */
export function validChecks(
  call: Call,
  capability: Capability,
  preview: Preview | undefined,
): readonly CheckResult[] {
  const checked = call.payloads.checks?.value as unknown as Checked | undefined;
  return checked?.subject === digestForApproval(call, capability, preview) ? checked.results : [];
}

/**
 * Runs the checks concurrently. If a check cannot run or returns an invalid result, its result is an error, and an
 * error refuses the call.
 */
export async function runChecks(
  call: Call,
  capability: Capability,
  names: readonly string[],
  preview: Preview | undefined,
  ports: Ports,
): Promise<CheckResult[]> {
  return Promise.all(names.map((name) => runCheck(call, capability, name, preview, ports)));
}

async function runCheck(
  call: Call,
  { contract }: Capability,
  name: string,
  preview: Preview | undefined,
  ports: Ports,
): Promise<CheckResult> {
  const check = ports.catalog.find(call.tenant, name);
  // A check may only read, so Paraph never runs a capability that writes as a check.
  if (check?.contract.effect !== "read" || check.contract.performer) return checkError(name, "check-unknown");
  const about = {
    call: call.call,
    capability: contract.name,
    principal: call.principal.id,
    effect: contract.effect,
    input: callInput(call),
    ...(preview && { preview: preview as unknown as Json }),
  };
  const found = await runCheckCapability(call, check, about, ports);
  if (found.kind === "fault") return checkError(name, "check-error");
  return { ...found.value, check: name };
}

function checkError(check: string, code: string): CheckResult {
  return { check, passed: false, error: true, findings: [{ code, sentence: "The check could not be run." }] };
}

/** Returns the event of the checks with their codes and scores, and their findings as a payload. */
export function recordChecks(
  call: Call,
  capability: Capability,
  results: readonly CheckResult[],
  preview: Preview | undefined,
  ports: Ports,
): Required<Pick<Transition, "events" | "payloads">> {
  const subject = digestForApproval(call, capability, preview);
  const found: NewPayload = createPayload("checks", { subject, results } as unknown as Json, ports);
  const event: UnsealedEvent<"checked"> = {
    kind: "checked",
    at: ports.clock.now(),
    data: {
      results: results.map(({ check, passed, score, error }) => ({
        check,
        passed,
        ...(score !== undefined && { score }),
        ...(error && { error }),
      })),
      checks: commitment(found.salt, found.value),
    },
  };
  return { events: [sealEvent(call, event, ports.sealer)], payloads: [found] };
}
