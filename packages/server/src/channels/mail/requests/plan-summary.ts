import { type Contract, type Json, type Ports, planCapability, type Risk } from "@paraph/core";
import { toPreviewResult } from "../../../http/views/preview-result.ts";
import type { UnderstoodWords } from "../../channel.ts";
import type { PlanFault, PlanSummary, ShownStep } from "../../request-content.ts";
import { showsChangesWhole } from "../changes-block.ts";
import { isShownWhole, maxLineLength } from "../quoted-text.ts";

const maxSteps = 10;
/** The risks of steps that a reply can request although policy asks no person. */
export const lowRisks: readonly (Risk | undefined)[] = ["low", "medium"];

interface PlannedStep {
  readonly id: string;
  readonly capability: string;
  readonly input: { readonly $literal?: Json };
}

/**
 * [TRUST 16] Returns the parts of a plan that a mail shows, and why a reply cannot confirm it. A mail leaves the
 * deployment, so it shows neither the input nor the changes of a plan with sensitive fields.
 */
export function describePlan(
  tenant: string,
  { plan, preview: evaluated }: Extract<UnderstoodWords, { kind: "plan" }>,
  catalog: Ports["catalog"],
): PlanSummary {
  const { ruling, sentence } = toPreviewResult(planCapability, evaluated);
  const preview = evaluated.kind === "ruled" ? evaluated.preview : undefined;
  const planned = (plan as unknown as { readonly steps: readonly PlannedStep[] }).steps;
  const contracts = planned.map(({ capability }) => catalog.find(tenant, capability)?.contract);
  const isSensitive = contracts.some((contract) => contract === undefined || contract.sensitive.length > 0);
  const steps = planned.map(
    ({ id, capability, input }, index): ShownStep => ({
      capability,
      ...pickContract(contracts[index]),
      ...(!isSensitive && {
        input: formatInput(input.$literal ?? null),
        headline: preview?.steps?.find((step) => step.id === id)?.headline,
      }),
    }),
  );
  const changes = isSensitive ? [] : (preview?.changes ?? []);
  const fault = findFault({ ruling, isSensitive, steps, isWhole: showsChangesWhole(changes) });
  return { steps, changes, ruling, sentence, ...(fault && { fault }) };
}

function pickContract(contract: Contract | undefined): Pick<ShownStep, "effect" | "risk"> {
  return contract ? { effect: contract.effect, risk: contract.risk } : {};
}

/** Formats an input in lines that a mail shows without a cut. JSON escapes line breaks, so a break is never a value. */
function formatInput(input: Json): string {
  return JSON.stringify(input, null, 2)
    .split("\n")
    .flatMap((line) => line.match(new RegExp(`.{1,${maxLineLength}}`, "gu")) ?? "")
    .join("\n");
}

/**
 * [TRUST 6] Returns why a reply cannot confirm the plan. A reply confirms only a plan that the mail shows in full. If
 * policy would ask no person, it also shows every change, and no step has a high risk: then the mail is the only control.
 */
function findFault({
  ruling,
  isSensitive,
  steps,
  isWhole,
}: {
  readonly ruling: string;
  readonly isSensitive: boolean;
  readonly steps: readonly ShownStep[];
  readonly isWhole: boolean;
}): PlanFault | undefined {
  if (ruling === "block") return "plan-blocked";
  if (isSensitive) return "plan-sensitive";
  if (steps.length > maxSteps || !steps.every(({ input }) => isShownWhole(input))) return "plan-too-large";
  if (ruling === "ask") return undefined;
  if (!isWhole) return "plan-too-large";
  return steps.every(({ risk }) => lowRisks.includes(risk)) ? undefined : "plan-risk";
}
