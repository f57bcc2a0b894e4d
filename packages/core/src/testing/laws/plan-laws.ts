import type { Call } from "../../call.ts";
import { listEditors } from "../../editors.ts";
import { type Event, eventsOfKind } from "../../event.ts";
import type { JsonObject } from "../../json.ts";
import { latestChildren } from "../../pipeline/composite/child-end.ts";
import { listDeclinedSteps } from "../../pipeline/round.ts";
import { type PlanDocument, toPlannedSteps } from "../../plan/plan-document.ts";
import { compensationStep, planCapability } from "../../plan/undo-plan.ts";
import { type CallRow, toCall, toModelChild } from "../model/model-rows.ts";
import type { Simulation } from "../simulation/simulation.ts";
import { computeContentDigest } from "./approval-digest.ts";

/** [P13] Checks, at the moment of a step's effect, that the voters approved the plan with exactly this step. */
export function findCoverViolations(
  whole: Call | undefined,
  call: Call,
  cover: Event<"approval-inherited">,
): string[] {
  const broken: string[] = [];
  const { approval } = whole ?? {};
  if (!whole || approval?.status !== "approved") return ["[P13] a step covered by no approval in force"];
  if (cover.data.approval !== approval.digest) broken.push("[P13] a step covered by another round");
  if (cover.data.digest !== computeContentDigest(call))
    broken.push("[P13] a step that is not what was approved");
  if (listDeclinedSteps(whole, approval).has(call.parent?.step ?? ""))
    broken.push("[P13] a declined step was taken");
  const { votes } = cover.data;
  const voters = new Set(votes.filter(({ decision }) => decision === "approve").map(({ by }) => by));
  const cast = eventsOfKind(whole.events, "voted").filter(({ data }) => data.digest === approval.digest);
  if ([...voters].some((voter) => !cast.some(({ data }) => data.by === voter && data.decision === "approve")))
    broken.push("[P13] a vote counted that was not given to the whole");
  if (voters.has("owner")) broken.push("[P5] the agent's owner was counted");
  const guard = approval.guards.find(({ id }) => id === call.capability);
  if (listEditors(whole).some((editor) => voters.has(editor)))
    broken.push("[TRUST 28] an editor of the whole was counted");
  if (voters.size < (guard?.quorum ?? 1)) broken.push("[P5] an effect with too few approvals");
  return broken;
}

/** Returns every violated invariant of plans once the simulation has come to rest. */
export function findPlanViolations(simulation: Simulation): string[] {
  const rows = simulation.store.rows();
  return rows
    .filter(({ capability, state }) => capability === planCapability && state === "closed")
    .flatMap((row) => {
      const own = rows.filter(({ parent }) => parent?.call === row.call);
      return findSinglePlanViolations(row, own, simulation).map(
        (law) => `${law} (${row.call}, ${JSON.stringify(row.outcome)})`,
      );
    });
}

function findSinglePlanViolations(row: CallRow, own: readonly CallRow[], simulation: Simulation): string[] {
  const plan = toCall(row);
  return [
    ...findStepViolations(plan, own),
    ...findOrderViolations(plan, own),
    ...findEndViolations(plan, own),
    ...findReceiptMismatches(plan, own, simulation),
  ];
}

/**
 * Checks that each step was opened at most once, that no declined step was opened, and that every step is closed. A
 * plan with opened steps must have begun.
 */
function findStepViolations(plan: Call, own: readonly CallRow[]): string[] {
  const broken: string[] = [];
  const standing = own.filter(({ outcome }) => outcome?.kind !== "superseded");
  if (new Set(standing.map(({ parent }) => parent?.step)).size !== standing.length)
    broken.push("[P13] a step was taken twice");
  if (own.some(({ state }) => state !== "closed")) broken.push("[P13] a step outlived its plan");
  if (own.length > 0 && !plan.events.some(({ kind }) => kind === "began"))
    broken.push("[P4] steps of a plan that never began");
  const declined = listDeclinedSteps(plan, plan.approval);
  if (own.some(({ parent }) => declined.has(parent?.step ?? "")))
    broken.push("[P13] a declined step was opened");
  return broken;
}

/**
 * Checks that a step opens after the steps it names. In a plan that stops on failure, those steps must have succeeded.
 */
function findOrderViolations(plan: Call, own: readonly CallRow[]): string[] {
  const broken: string[] = [];
  const { onFailure } = readPlanDocument(plan);
  const first = (step: string) => own.find(({ parent }) => parent?.step === step);
  const last = (step: string) => own.findLast(({ parent }) => parent?.step === step);
  for (const { id, after } of toPlannedSteps(readPlanDocument(plan))) {
    const opened = first(id);
    if (!opened) continue;
    for (const one of after.flatMap((step) => last(step) ?? [])) {
      if ((one.closedAt ?? Number.POSITIVE_INFINITY) > opened.createdAt)
        broken.push(`[P13] step ${id} was opened before ${one.parent?.step} had ended`);
      if (onFailure !== "continue" && one.outcome?.kind !== "succeeded")
        broken.push(`[P13] step ${id} was opened although ${one.parent?.step} did not succeed`);
    }
  }
  return broken;
}

/** Checks that the outcome of the plan agrees with the outcomes of its steps. */
function findEndViolations(plan: Call, own: readonly CallRow[]): string[] {
  const children = latestChildren(own.map(toModelChild));
  const kinds = new Map(children.map(({ step, outcome }) => [step, outcome?.kind]));
  const back = kinds.get(compensationStep);
  kinds.delete(compensationStep);
  const failed = [...kinds.values()].some((kind) => kind !== "succeeded");
  const { kind, code } = plan.outcome!;
  const broken: string[] = [];
  if (kind === "succeeded" && failed) broken.push("[P13] succeeded although a step did not");
  if (kind === "unknown" && ![...kinds.values()].includes("unknown"))
    broken.push("[P7] unknown although each step is known");
  // The plan's own code throws only `StepFailed`. Any other error came from the store and must not fail the plan.
  if (kind === "failed" && code === "error") broken.push("[P2] [P13] failed although no step did");
  if (code === "step-failed" && back !== undefined) broken.push("[P13] undone and not said so");
  if ((code === "compensated" || code === "compensated-in-part") && back !== "succeeded")
    broken.push("[P13] said to be undone, and was not");
  if (back !== undefined && readPlanDocument(plan).onFailure !== "compensate")
    broken.push("[P13] undone though nobody wanted that");
  if (kind !== "succeeded") return broken;
  const { skipped } = (plan.payloads.output?.value ?? { skipped: [] }) as { skipped: readonly string[] };
  const declined = listDeclinedSteps(plan, plan.approval);
  for (const { id, takes } of toPlannedSteps(readPlanDocument(plan))) {
    if (kinds.get(id) === "succeeded" || declined.has(id)) continue;
    if (!skipped.includes(id) || takes.length === 0) broken.push(`[P13] step ${id} was left out`);
  }
  return broken;
}

/** Checks that the plan's events and receipt agree with the rows of its steps. */
function findReceiptMismatches(plan: Call, own: readonly CallRow[], simulation: Simulation): string[] {
  const broken: string[] = [];
  for (const { data } of eventsOfKind(plan.events, "stepped")) {
    const child = own.find(({ call }) => call === data.call);
    if (child?.outcome?.kind !== data.outcome) broken.push("[P13] a step is told of otherwise than it ended");
  }
  const receipt = simulation.store.receipt(plan);
  const story = receipt && (JSON.parse(receipt.story) as JsonObject);
  const told = JSON.stringify(story?.children ?? []);
  const rows = latestChildren(own.map(toModelChild)).map(({ step, call, outcome, receipt }) => ({
    step,
    call,
    outcome,
    receipt,
  }));
  const sorted = (of: readonly JsonObject[]) => JSON.stringify(of.map(toChildText).sort());
  if (sorted(JSON.parse(told)) !== sorted(JSON.parse(JSON.stringify(rows))))
    broken.push("[P13] the plan's receipt names other receipts than its steps have");
  return broken;
}

function toChildText({ step, call, outcome, receipt }: JsonObject): string {
  const { kind, code } = (outcome ?? {}) as JsonObject;
  return JSON.stringify([step, call, kind, code, receipt]);
}

function readPlanDocument({ payloads }: Call): PlanDocument {
  return payloads.input?.value as unknown as PlanDocument;
}
