import type { Call } from "../call.ts";
import type { Capability, Change, Preview, StepPreview } from "../capability.ts";
import type { PlannedStep } from "../composite.ts";
import { canonical, digest } from "../digest.ts";
import { editorGroupsOf, editorsOf, withEditors } from "../editors.ts";
import { type Fault, timedOut } from "../fault.ts";
import type { Json } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import { withValues } from "../plan/values.ts";
import type { Ports } from "../ports.ts";
import { inputOf, preview, type Result } from "./attempt.ts";
import { draft, known } from "./draft.ts";
import { costOf } from "./judge.ts";

/** What a call would change: its own preview, or those of its steps as one. */
export async function see(
  call: Call,
  capability: Capability,
  patienceMs: number,
  ports: Ports,
): Promise<Result<Preview | undefined>> {
  if (!capability.steps) return preview(call, capability, patienceMs, ports);
  try {
    return await foresee(call, plannedSteps(call, capability, ports), patienceMs, ports);
  } catch (error) {
    // What could be admitted once may not be any more: a capability that is gone, another contract.
    if (!(error instanceof ParaphError)) throw error;
    return { kind: "fault", fault: { kind: "permanent", code: error.code, message: error.message } };
  }
}

/** A step with its capability and, where its input is known already, the call that it would be. */
export interface Foreseen {
  readonly step: PlannedStep;
  readonly capability: Capability;
  readonly call: Call | undefined;
}

/** [P13] Every step as it would be admitted. Throws where one could not be: a capability that is not here, an input that does not fit. */
export function plannedSteps(call: Call, capability: Capability, ports: Ports): readonly Foreseen[] {
  return (capability.steps?.(inputOf(call)) ?? []).map((step) => {
    try {
      const own = known(call.tenant, step.capability, ports);
      return { step, capability: own, call: wouldBe(call, step, own, ports) };
    } catch (error) {
      if (!(error instanceof ParaphError)) throw error;
      throw new ParaphError(error.code, `Step \`${step.id}\`: ${error.message}`);
    }
  });
}

function wouldBe(whole: Call, step: PlannedStep, capability: Capability, ports: Ports): Call | undefined {
  if (step.takes.length > 0) return undefined;
  const filled = withValues(step.input, () => undefined);
  const input = "input" in filled ? filled.input : null;
  const request = { principal: whole.principal, capability: step.capability, input };
  const drafted = draft(request, capability, digest(request.input), ports);
  const requirements = [...step.requirements, ...drafted.requirements];
  return withEditors({ ...drafted, requirements }, editorsOf(whole), editorGroupsOf(whole));
}

/** So many previews at once, so that a plan of a thousand steps does not ask the world a thousand things in one moment. */
const atOnce = 8;

async function foresee(
  whole: Call,
  steps: readonly Foreseen[],
  patienceMs: number,
  ports: Ports,
): Promise<Result<Preview>> {
  const until = ports.clock.now() + patienceMs;
  const looks: Look[] = [];
  for (let from = 0; from < steps.length; from += atOnce) {
    const left = until - ports.clock.now();
    if (left <= 0) return { kind: "fault", fault: timedOut };
    const next = steps.slice(from, from + atOnce).map((step) => look(step, left, ports));
    looks.push(...(await Promise.all(next)));
  }
  ports.telemetry.measure("executor.execution_request.steps.count", steps.length, {
    capability: whole.capability,
  });
  return assembled(steps, looks);
}

type Look =
  | { readonly kind: "seen"; readonly preview: Preview }
  /** Nothing to look at, or too early to. */
  | { readonly kind: "unseen" }
  | { readonly kind: "fault"; readonly fault: Fault };

async function look({ call, capability }: Foreseen, patienceMs: number, ports: Ports): Promise<Look> {
  if (!call) return { kind: "unseen" };
  const seen = await see(call, capability, patienceMs, ports);
  if (seen.kind === "fault") return seen;
  return seen.value ? { kind: "seen", preview: seen.value } : { kind: "unseen" };
}

/** One preview of the whole. A step that cannot be seen before an earlier one is done says so; one that cannot be seen at all is a fault. */
function assembled(steps: readonly Foreseen[], looks: readonly Look[]): Result<Preview> {
  const changes: Change[] = [];
  const previews: StepPreview[] = [];
  for (const [index, foreseen] of steps.entries()) {
    const { step, capability } = foreseen;
    const seen = looks[index]!;
    const waitsFor = restsOn(foreseen, steps.slice(0, index));
    if (seen.kind === "fault" && (seen.fault === timedOut || step.after.length === 0))
      return { kind: "fault", fault: about(step, seen.fault) };
    const own = seen.kind === "seen" ? seen.preview : undefined;
    changes.push(...(own?.changes ?? []));
    previews.push({
      id: step.id,
      capability: capability.contract.name,
      version: capability.contract.version,
      effect: capability.contract.effect,
      risk: capability.contract.risk,
      changes: own?.changes.length ?? 0,
      basis: own?.basis ?? null,
      seen: own !== undefined,
      known: foreseen.call !== undefined,
      restsOn: seen.kind === "fault" ? [...new Set([...step.after, ...waitsFor])] : waitsFor,
      cost: foreseen.call ? costOf(foreseen.call, capability) : 0,
      visibility: step.visibility,
    });
  }
  const basis = Object.fromEntries(
    previews.map(({ id, version, seen, basis }) => [id, { version, seen, basis }]),
  );
  // Through JSON once, so that what is shown, stored, digested and compared is one and the same value.
  const whole = { changes, basis, steps: previews } as unknown as Json;
  return { kind: "value", value: JSON.parse(canonical(whole)) as Preview };
}

/** Earlier steps that change what this one is about: those it takes values from, and those that want the same keys. */
function restsOn({ step, call }: Foreseen, earlier: readonly Foreseen[]): string[] {
  const keys = new Set(call?.lockKeys ?? []);
  const shared = earlier.filter(
    (one) => one.capability.contract.effect !== "read" && one.call?.lockKeys.some((key) => keys.has(key)),
  );
  return [...new Set([...step.takes, ...shared.map((one) => one.step.id)])];
}

function about({ id }: PlannedStep, fault: Fault): Fault {
  return fault === timedOut ? fault : { ...fault, message: `Step \`${id}\`: ${fault.message}` };
}
