import type { Call } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { CheckResult } from "../../policy/check.ts";
import type { Guard } from "../../policy/policy.ts";
import { strictestUrgency } from "../../policy/rule.ts";
import type { Ask, Block, Ruling } from "../../policy/ruling.ts";
import type { Ports } from "../../ports.ts";
import { listDeclinedSteps } from "../round.ts";
import { draftSteps, findShownStep, type StepDraft } from "./preview-steps.ts";
import { type RuledCall, type RulingInput, ruleCall } from "./rule.ts";

/**
 * [P13] Returns policy's ruling on a call, merged with the rulings on the steps whose input is already known. The
 * strictest ruling wins.
 */
export async function rulePlan(
  call: Call,
  capability: Capability,
  input: RulingInput,
  ports: Ports,
): Promise<RuledCall> {
  const whole = await ruleCall(call, capability, input, ports);
  if (!capability.steps || whole.ruling.kind === "block" || whole.ruling.kind === "check") return whole;
  const declined = listDeclinedSteps(call, call.approval);
  const steps = tryDraftSteps(call, capability, ports);
  if (steps.kind === "invalid") return { ...whole, ruling: steps.ruling(whole.ruling) };
  const rulings: RuledStep[] = [];
  for (const foreseen of steps.steps) {
    if (declined.has(foreseen.step.id) || !foreseen.call) continue;
    const ruling = await ruleStep(foreseen, input, ports);
    if (ruling.kind === "block") return { ...whole, ruling: nameBlockedStep(foreseen, ruling) };
    rulings.push({ step: foreseen.step.id, ruling });
  }
  return { ...whole, ruling: mergeRulings(whole.ruling, rulings) };
}

/**
 * [P11] Drafts the steps of a plan. If a step cannot be admitted, the plan is blocked, because no person could approve
 * it.
 */
function tryDraftSteps(call: Call, capability: Capability, ports: Ports) {
  try {
    return { kind: "valid", steps: draftSteps(call, capability, ports) } as const;
  } catch (error) {
    if (!(error instanceof ParaphError)) throw error;
    const ruling = ({ version }: Ruling): Block => ({
      kind: "block",
      code: "step-invalid",
      policies: [],
      version,
      discharged: [],
      sentence: error.message,
    });
    return { kind: "invalid", ruling } as const;
  }
}

interface RuledStep {
  readonly step: string;
  readonly ruling: Ruling;
}

/**
 * Rules on a step as if it were a call of its own, with the votes for the whole plan. Its checks run when the step
 * starts; until then they count as passed.
 */
async function ruleStep(
  { step, capability, call }: StepDraft,
  { votes = [], preview, withoutGrants = false }: RulingInput,
  ports: Ports,
): Promise<Ruling> {
  const shown = findShownStep(preview, step.id)?.preview;
  const hoped: CheckResult[] = [];
  for (;;) {
    const seen = { preview: shown, votes, checks: hoped, withoutGrants };
    const { ruling } = await rulePlan(call!, capability, seen, ports);
    if (ruling.kind !== "check") return ruling;
    hoped.push(...ruling.checks.map((check) => ({ check, passed: true, findings: [] })));
  }
}

function nameBlockedStep({ step }: StepDraft, ruling: Block): Block {
  return { ...ruling, sentence: `Step \`${step.id}\`: ${ruling.sentence}` };
}

/**
 * Merges the rulings on a plan and its steps, so that Paraph asks people only one question. If several steps require
 * the same guard, the guard appears once and names those steps.
 */
function mergeRulings(whole: Ruling, steps: readonly RuledStep[]): Ruling {
  const asks = steps.flatMap(({ step, ruling }) => (ruling.kind === "ask" ? [{ step, ruling }] : []));
  const discharged = [...new Set([...whole.discharged, ...steps.flatMap(({ ruling }) => ruling.discharged)])];
  if (asks.length === 0) return { ...whole, discharged };
  const own = whole.kind === "ask" ? whole.guards : [];
  const guards = new Map<string, Guard>(own.map((guard) => [guard.id, guard]));
  for (const { step, ruling } of asks) {
    for (const guard of ruling.guards) {
      const known = guards.get(guard.id);
      // A guard for the whole plan already includes this step, so the step is not added to it.
      if (known && !known.steps) continue;
      guards.set(guard.id, { ...guard, steps: [...(known?.steps ?? []), step] });
    }
  }
  const all = [...guards.values()];
  const within = all.flatMap(({ withinMs }) => (withinMs === undefined ? [] : [withinMs]));
  const ask: Ask = {
    kind: "ask",
    guards: all,
    urgency: strictestUrgency(all),
    ...(within.length > 0 && { withinMs: Math.min(...within) }),
    policies: all.map(({ id }) => id),
    version: whole.version,
    sentence: [...new Set(all.map(({ sentence }) => sentence))].join(" "),
    discharged,
    ...(whole.shadow && { shadow: whole.shadow }),
  };
  return ask;
}
