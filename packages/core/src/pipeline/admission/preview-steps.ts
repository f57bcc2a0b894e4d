import type { Call } from "../../call.ts";
import type { Capability, Change, Preview, StepPreview } from "../../capability/capability.ts";
import type { PlannedStep } from "../../capability/composite.ts";
import { type Fault, timeoutFault } from "../../capability/fault.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import { fillValues } from "../../plan/value-references.ts";
import type { Ports } from "../../ports.ts";
import { canonical, digest } from "../../receipts/digest.ts";
import { listEditorGroups, listEditors, withEditors } from "../approval/editors.ts";
import { callInput, preview, type Result } from "../execution/attempt.ts";
import { draftCall, requireCapability } from "./draft.ts";
import { callCost } from "./rule.ts";

/** What a call would change: its own preview, or those of its steps as one. */
export async function previewCall(
  call: Call,
  capability: Capability,
  patienceMs: number,
  ports: Ports,
): Promise<Result<Preview | undefined>> {
  if (!capability.steps) return preview(call, capability, patienceMs, ports);
  try {
    return await previewSteps(call, draftSteps(call, capability, ports), patienceMs, ports);
  } catch (error) {
    // What could be admitted once may not be any more: a capability that is gone, another contract.
    if (!(error instanceof ParaphError)) throw error;
    return { kind: "fault", fault: { kind: "permanent", code: error.code, message: error.message } };
  }
}

/** A step with its capability and, where its input is known already, the call that it would be. */
export interface StepDraft {
  readonly step: PlannedStep;
  readonly capability: Capability;
  readonly call: Call | undefined;
}

/** [P13] Every step as it would be admitted. Throws where one could not be: a capability that is not here, an input that does not fit. */
export function draftSteps(call: Call, capability: Capability, ports: Ports): readonly StepDraft[] {
  return (capability.steps?.(callInput(call)) ?? []).map((step) => {
    try {
      const own = requireCapability(call.tenant, step.capability, ports);
      return { step, capability: own, call: draftStep(call, step, own, ports) };
    } catch (error) {
      if (!(error instanceof ParaphError)) throw error;
      throw new ParaphError(error.code, `Step \`${step.id}\`: ${error.message}`);
    }
  });
}

function draftStep(whole: Call, step: PlannedStep, capability: Capability, ports: Ports): Call | undefined {
  if (step.takes.length > 0) return undefined;
  const filled = fillValues(step.input, () => undefined);
  const input = "input" in filled ? filled.input : null;
  const request = { principal: whole.principal, capability: step.capability, input };
  const drafted = draftCall(request, capability, digest(request.input), ports);
  const requirements = [...step.requirements, ...drafted.requirements];
  return withEditors({ ...drafted, requirements }, listEditors(whole), listEditorGroups(whole));
}

/** So many previews at once, so that a plan of a thousand steps does not ask the world a thousand things in one moment. */
const maxConcurrentPreviews = 8;

async function previewSteps(
  whole: Call,
  steps: readonly StepDraft[],
  patienceMs: number,
  ports: Ports,
): Promise<Result<Preview>> {
  const until = ports.clock.now() + patienceMs;
  const looks: StepLook[] = [];
  for (let from = 0; from < steps.length; from += maxConcurrentPreviews) {
    const left = until - ports.clock.now();
    if (left <= 0) return { kind: "fault", fault: timeoutFault };
    const next = steps
      .slice(from, from + maxConcurrentPreviews)
      .map((step) => previewStep(step, left, ports));
    looks.push(...(await Promise.all(next)));
  }
  ports.telemetry.measure("executor.execution_request.steps.count", steps.length, {
    capability: whole.capability,
  });
  return mergePreviews(steps, looks);
}

type StepLook =
  | { readonly kind: "seen"; readonly preview: Preview }
  /** Nothing to look at, or too early to. */
  | { readonly kind: "unseen" }
  | { readonly kind: "fault"; readonly fault: Fault };

async function previewStep(
  { call, capability }: StepDraft,
  patienceMs: number,
  ports: Ports,
): Promise<StepLook> {
  if (!call) return { kind: "unseen" };
  const seen = await previewCall(call, capability, patienceMs, ports);
  if (seen.kind === "fault") return seen;
  return seen.value ? { kind: "seen", preview: seen.value } : { kind: "unseen" };
}

/** One preview of the whole. A step that cannot be seen before an earlier one is done says so; one that cannot be seen at all is a fault. */
function mergePreviews(steps: readonly StepDraft[], looks: readonly StepLook[]): Result<Preview> {
  const changes: Change[] = [];
  const previews: StepPreview[] = [];
  for (const [index, foreseen] of steps.entries()) {
    const { step, capability } = foreseen;
    const seen = looks[index]!;
    const waitsFor = listDependencies(foreseen, steps.slice(0, index));
    if (seen.kind === "fault" && (seen.fault === timeoutFault || step.after.length === 0))
      return { kind: "fault", fault: nameStep(step, seen.fault) };
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
      cost: foreseen.call ? callCost(foreseen.call, capability) : 0,
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
function listDependencies({ step, call }: StepDraft, earlier: readonly StepDraft[]): string[] {
  const keys = new Set(call?.lockKeys ?? []);
  const shared = earlier.filter(
    (one) => one.capability.contract.effect !== "read" && one.call?.lockKeys.some((key) => keys.has(key)),
  );
  return [...new Set([...step.takes, ...shared.map((one) => one.step.id)])];
}

function nameStep({ id }: PlannedStep, fault: Fault): Fault {
  return fault === timeoutFault ? fault : { ...fault, message: `Step \`${id}\`: ${fault.message}` };
}
