import { type Call, callInput } from "../../call.ts";
import type { Capability, Change, Preview, StepPreview } from "../../capability/capability.ts";
import type { PlannedStep } from "../../capability/composite.ts";
import { type Fault, timeoutFault } from "../../capability/fault.ts";
import { listEditorGroups, listEditors, withEditors } from "../../editors.ts";
import { composeHeadline } from "../../headline.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import { fillValues } from "../../plan/value-references.ts";
import type { Ports } from "../../ports.ts";
import { canonical, digest } from "../../receipts/digest.ts";
import { preview, type Result } from "../attempt/attempt.ts";
import { callCost } from "../gate.ts";
import { draftCall, requireCapability } from "./draft.ts";

/** One step of a composite, as approvers saw it. */
export interface ShownStep extends StepPreview {
  readonly preview: Preview | undefined;
}

/** Returns one step of a composite's preview, as approvers saw it. */
export function findShownStep(preview: Preview | undefined, step: string): ShownStep | undefined {
  const shown = preview?.steps?.find(({ id }) => id === step);
  if (!preview || !shown) return undefined;
  const from = preview
    .steps!.slice(0, preview.steps!.indexOf(shown))
    .reduce((sum, one) => sum + one.changes, 0);
  return {
    ...shown,
    preview: shown.previewed
      ? { changes: preview.changes.slice(from, from + shown.changes), basis: shown.basis }
      : undefined,
  };
}

/** Previews a call. If the capability has steps, merges the previews of the steps into one. */
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
    // The function returns a `ParaphError` as a fault, because the catalog may have changed since the admission. A
    // capability may now be missing or have another contract.
    if (!(error instanceof ParaphError)) throw error;
    return { kind: "fault", fault: { kind: "permanent", code: error.code, message: error.message } };
  }
}

/** A step with its capability, and with the drafted call if its input is already known. */
export interface StepDraft {
  readonly step: PlannedStep;
  readonly capability: Capability;
  readonly call: Call | undefined;
}

/**
 * [P13] Drafts every step as it would be admitted. Throws if a step cannot be admitted, because its capability is
 * missing or its input is invalid.
 */
export function draftSteps(call: Call, capability: Capability, ports: Ports): readonly StepDraft[] {
  return (capability.steps?.(callInput(call)) ?? []).map((step) => {
    try {
      const capability = requireCapability(call.tenant, step.capability, ports);
      return { step, capability, call: draftStep(call, step, capability, ports) };
    } catch (error) {
      if (!(error instanceof ParaphError)) throw error;
      throw new ParaphError(error.code, `Step \`${step.id}\`: ${error.message}`);
    }
  });
}

function draftStep(call: Call, step: PlannedStep, capability: Capability, ports: Ports): Call | undefined {
  if (step.takes.length > 0) return undefined;
  const filled = fillValues(step.input, () => undefined);
  const input = "input" in filled ? filled.input : null;
  const request = { principal: call.principal, capability: step.capability, input };
  const drafted = draftCall(request, capability, digest(request.input), ports);
  const requirements = [...step.requirements, ...drafted.requirements];
  return withEditors({ ...drafted, requirements }, listEditors(call), listEditorGroups(call));
}

/** The limit keeps a plan of a thousand steps from sending a thousand requests to external systems at once. */
const maxConcurrentPreviews = 8;

async function previewSteps(
  call: Call,
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
    capability: call.capability,
  });
  return mergePreviews(steps, looks, ports);
}

type StepLook =
  | { readonly kind: "previewed"; readonly preview: Preview }
  /** The capability has no preview, or the step depends on an earlier step. */
  | { readonly kind: "not-previewed" }
  | { readonly kind: "fault"; readonly fault: Fault };

async function previewStep(
  { call, capability }: StepDraft,
  patienceMs: number,
  ports: Ports,
): Promise<StepLook> {
  if (!call) return { kind: "not-previewed" };
  const result = await previewCall(call, capability, patienceMs, ports);
  if (result.kind === "fault") return result;
  return result.value ? { kind: "previewed", preview: result.value } : { kind: "not-previewed" };
}

/**
 * Merges the previews of all steps. A step that cannot be previewed until an earlier step is done names that earlier
 * step. If a step cannot be previewed at all, the result is a fault.
 */
function mergePreviews(
  steps: readonly StepDraft[],
  looks: readonly StepLook[],
  ports: Ports,
): Result<Preview> {
  const changes: Change[] = [];
  const previews: StepPreview[] = [];
  for (const [index, foreseen] of steps.entries()) {
    const { step, capability } = foreseen;
    const seen = looks[index]!;
    const waitsFor = listDependencies(foreseen, steps.slice(0, index));
    if (seen.kind === "fault" && (seen.fault === timeoutFault || step.after.length === 0))
      return { kind: "fault", fault: nameStep(step, seen.fault) };
    const own = seen.kind === "previewed" ? seen.preview : undefined;
    changes.push(...(own?.changes ?? []));
    previews.push({
      id: step.id,
      capability: capability.contract.name,
      version: capability.contract.version,
      effect: capability.contract.effect,
      risk: capability.contract.risk,
      changes: own?.changes.length ?? 0,
      basis: own?.basis ?? null,
      previewed: own !== undefined,
      inputKnown: foreseen.call !== undefined,
      dependsOn: seen.kind === "fault" ? [...new Set([...step.after, ...waitsFor])] : waitsFor,
      cost: foreseen.call ? callCost(foreseen.call, capability) : 0,
      visibility: step.visibility,
      ...(foreseen.call && { headline: composeHeadline(foreseen.call, capability, own, ports) }),
    });
  }
  const basis = Object.fromEntries(
    previews.map(({ id, version, previewed, basis }) => [id, { version, previewed, basis }]),
  );
  // One pass through JSON makes sure that the shown, stored, digested and compared values are the same.
  const whole = { changes, basis, steps: previews } as unknown as Json;
  return { kind: "value", value: JSON.parse(canonical(whole)) as Preview };
}

/**
 * Returns the earlier steps that this step depends on. These are the steps whose output it takes, and the steps that
 * change something under the same lock keys.
 */
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
