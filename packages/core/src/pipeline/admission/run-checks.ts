import type { Call } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import type { UnsealedEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import type { Checked, CheckResult } from "../../policy/check.ts";
import type { NewPayload, Ports, Transition } from "../../ports.ts";
import { canonical, commitment } from "../../receipts/digest.ts";
import { sealEvent } from "../../receipts/seal.ts";
import { digestForApproval } from "../approval/ask.ts";
import { createPayload } from "../close.ts";
import { callInput, runCheckCapability } from "../execution/attempt.ts";

/** The results that count for this call so previewed: those that were found for exactly these bytes. */
export function validChecks(
  call: Call,
  capability: Capability,
  preview: Preview | undefined,
): readonly CheckResult[] {
  const checked = call.payloads.checks?.value as unknown as Checked | undefined;
  return checked?.subject === digestForApproval(call, capability, preview) ? checked.results : [];
}

/** Runs the checks side by side. One that cannot be run, or answers what no check answers, is an error, and errors refuse. */
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
  // A check may look and nothing else: what writes is never run as one.
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
  return { ...(JSON.parse(canonical(found.value)) as Omit<CheckResult, "check">), check: name };
}

function checkError(check: string, code: string): CheckResult {
  return { check, passed: false, error: true, findings: [{ code, sentence: "The check could not be run." }] };
}

/** Results on record: codes and scores in the event, findings as a payload. */
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
