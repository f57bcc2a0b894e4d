import type { Call } from "../call.ts";
import type { Capability, Preview } from "../capability.ts";
import type { Checked, CheckResult } from "../check.ts";
import { canonical, commitment } from "../digest.ts";
import type { NewEvent } from "../event.ts";
import type { Json } from "../json.ts";
import type { Move, NewPayload, Ports } from "../ports.ts";
import { sealEvent } from "../seal.ts";
import { digestOf } from "./ask.ts";
import { inputOf, inspect } from "./attempt.ts";
import { payload } from "./ending.ts";

/** The results that count for this call so previewed: those that were found for exactly these bytes. */
export function standingChecks(
  call: Call,
  capability: Capability,
  preview: Preview | undefined,
): readonly CheckResult[] {
  const checked = call.payloads.checks?.value as unknown as Checked | undefined;
  return checked?.subject === digestOf(call, capability, preview) ? checked.results : [];
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
  if (check?.contract.effect !== "read" || check.contract.performer) return notRun(name, "check-unknown");
  const about = {
    call: call.call,
    capability: contract.name,
    principal: call.principal.id,
    effect: contract.effect,
    input: inputOf(call),
    ...(preview && { preview: preview as unknown as Json }),
  };
  const found = await inspect(call, check, about, ports);
  if (found.kind === "fault") return notRun(name, "check-error");
  return { ...(JSON.parse(canonical(found.value)) as Omit<CheckResult, "check">), check: name };
}

function notRun(check: string, code: string): CheckResult {
  return { check, passed: false, error: true, findings: [{ code, sentence: "The check could not be run." }] };
}

/** Results on record: codes and scores in the event, findings as a payload. */
export function checkedMove(
  call: Call,
  capability: Capability,
  results: readonly CheckResult[],
  preview: Preview | undefined,
  ports: Ports,
): Required<Pick<Move, "events" | "payloads">> {
  const subject = digestOf(call, capability, preview);
  const found: NewPayload = payload("checks", { subject, results } as unknown as Json, ports);
  const event: NewEvent = {
    kind: "checked",
    at: ports.clock.now(),
    data: {
      results: results.map(({ check, passed, score, error }) => ({
        ...{ check, passed },
        ...(score !== undefined && { score }),
        ...(error && { error }),
      })),
      checks: commitment(found.salt, found.value),
    },
  };
  return { events: [sealEvent(call, event, ports.sealer)], payloads: [found] };
}
