import {
  approvalDigest,
  type Call,
  compensationStep,
  envelopeText,
  listDeclinedSteps,
  type PlanDocument,
  type Preview,
  planCapability,
  sha256Hex,
  toPlannedSteps,
} from "@paraph/core";
import { effectDigest } from "../process/config.ts";
import type { LedgerCall } from "./history.ts";
import {
  createViolation,
  filterEvents,
  filterPerformed,
  type HistoryIndex,
  type Violation,
} from "./history-index.ts";

export const isPlan = ({ capability }: LedgerCall) => capability === planCapability;

/** A plan with its steps, in the order in which they were opened. */
interface PlanHistory {
  readonly plan: LedgerCall;
  readonly steps: readonly LedgerCall[];
  /** The steps that were not superseded. */
  readonly standing: readonly LedgerCall[];
}

function listPlans({ ledger }: HistoryIndex): PlanHistory[] {
  const children = Map.groupBy(ledger, ({ parent }) => parent?.call);
  return ledger.filter(isPlan).map((plan) => {
    const steps = (children.get(plan.call) ?? []).toSorted((a, b) => a.createdAt - b.createdAt);
    return { plan, steps, standing: steps.filter(({ outcome }) => outcome?.kind !== "superseded") };
  });
}

const readStep = ({ parent }: LedgerCall) => parent?.step ?? "";
const readEndTime = (call: LedgerCall) => filterEvents(call, "closed")[0]?.at ?? Number.POSITIVE_INFINITY;
const readDocument = ({ payloads }: LedgerCall) => payloads.input?.value as unknown as PlanDocument;

/**
 * [P13] Checks that each step is opened at most once, and that no declined step is opened. Steps may be opened only if
 * the plan began, and no step may end after its plan.
 */
export function stepsAreTakenOnce(index: HistoryIndex): Violation[] {
  return listPlans(index).flatMap(({ plan, steps, standing }) => {
    const declined = listDeclinedSteps(plan as unknown as Call, plan.approval);
    const ended = readEndTime(plan);
    const found = [
      ...(new Set(standing.map(readStep)).size === standing.length ? [] : ["took a step twice"]),
      ...(steps.some((step) => declined.has(readStep(step))) ? ["took a step that was declined"] : []),
      ...(steps.length > 0 && filterEvents(plan, "began").length === 0
        ? ["has steps although it never began"]
        : []),
      ...(plan.state === "closed" && standing.some((step) => readEndTime(step) > ended + index.skew)
        ? ["ended before its steps had"]
        : []),
    ];
    return found.map((what) => createViolation("P13", plan.call, what));
  });
}

/**
 * [P13] Checks that the plan's outcome agrees with the outcomes of its steps, and that its receipt names their
 * receipts.
 */
export function plansMatchTheirSteps(index: HistoryIndex): Violation[] {
  return listPlans(index).flatMap(({ plan, standing }) => {
    if (!plan.outcome) return [];
    const { kind, code } = plan.outcome;
    const taken = standing.filter((step) => readStep(step) !== compensationStep);
    const kinds = taken.map(({ outcome }) => outcome?.kind);
    const found = [
      ...(kind === "succeeded" && kinds.some((one) => one !== "succeeded")
        ? ["succeeded although a step did not"]
        : []),
      ...(kind === "succeeded" ? findMissingSteps(plan, taken) : []),
      ...(kind === "unknown" && !kinds.includes("unknown") ? ["is unknown although each step is known"] : []),
      ...(code === "not-deterministic" ? ["was another when it was run again"] : []),
      ...(isSameList(listNamedReceipts(plan), listStepReceipts(standing))
        ? []
        : ["names other receipts than its steps have"]),
    ];
    return found.map((what) => createViolation("P13", plan.call, what));
  });
}

/**
 * Returns the steps that the plan left out: they were neither opened nor declined, and they take no value from another
 * step.
 */
function findMissingSteps(plan: LedgerCall, taken: readonly LedgerCall[]): string[] {
  const declined = listDeclinedSteps(plan as unknown as Call, plan.approval);
  const ids = new Set(taken.map(readStep));
  return toPlannedSteps(readDocument(plan))
    .filter(({ id, takes }) => !ids.has(id) && !declined.has(id) && takes.length === 0)
    .map(({ id }) => `left out step ${id}`);
}

interface ReceiptRef {
  readonly step: string;
  readonly call: string;
  readonly receipt: string;
}

function listNamedReceipts({ receipts }: LedgerCall): readonly ReceiptRef[] {
  const [envelope] = receipts;
  if (!envelope) return [];
  return JSON.parse(Buffer.from(envelope.payload, "base64").toString()).predicate.children ?? [];
}

/**
 * Returns the receipts of the steps that were not superseded. The rows show which steps were superseded, whereas times
 * would depend on the clock.
 */
function listStepReceipts(standing: readonly LedgerCall[]): readonly ReceiptRef[] {
  return standing.map((one) => {
    const [envelope] = one.receipts;
    return {
      step: readStep(one),
      call: one.call,
      receipt: envelope ? sha256Hex(envelopeText(envelope)) : "",
    };
  });
}

function isSameList(told: readonly ReceiptRef[], found: readonly ReceiptRef[]): boolean {
  const lines = (all: readonly ReceiptRef[]) =>
    all.map(({ step, call, receipt }) => `${step} ${call} ${receipt}`);
  return lines(told).sort().join() === lines(found).sort().join();
}

/** [P13] Checks that a plan undoes its steps where it must, and that every undo runs in reverse order. */
export function undoIsInReverse(index: HistoryIndex): Violation[] {
  const all = listPlans(index);
  const byCall = new Map(all.map((whole) => [whole.plan.call, whole]));
  return all.flatMap((whole) => {
    const { plan, standing } = whole;
    const back = standing.find((step) => readStep(step) === compensationStep);
    const done = standing.filter(({ outcome, payloads }) => outcome?.kind === "succeeded" && payloads.undo);
    const given = plan.outcome?.kind === "failed" || plan.outcome?.kind === "unknown";
    const wanted = given && readDocument(plan).onFailure === "compensate" && done.length > 0;
    if (wanted && !back) return [createViolation("P13", plan.call, "failed and did not undo what was done")];
    const undoes = filterEvents(plan, "accepted")[0]?.data.undoes;
    const undone =
      readStep(plan) === compensationStep ? byCall.get(plan.parent!.call) : byCall.get(String(undoes));
    return undone ? checkUndoOrder(undone, whole, index) : [];
  });
}

/** Checks, by the oracle's order, that a later step is undone before an earlier one. */
function checkUndoOrder(
  { plan }: PlanHistory,
  back: PlanHistory,
  { oracle, effectsOf }: HistoryIndex,
): Violation[] {
  const steps = toPlannedSteps(readDocument(plan));
  const undoneAt = new Map(
    back.standing.flatMap((step) => {
      const [effect] = filterPerformed(effectsOf(step.call));
      const id = readStep(step).replace(/^undo-\d+-/, "");
      return effect ? [[id, oracle.indexOf(effect)] as const] : [];
    }),
  );
  return steps.flatMap(({ id, after }) =>
    after
      .filter((earlier) => (undoneAt.get(earlier) ?? Number.POSITIVE_INFINITY) < (undoneAt.get(id) ?? -1))
      .map((earlier) =>
        createViolation("P13", back.plan.call, `undid ${earlier} before ${id}, which came after it`),
      ),
  );
}

/**
 * [P13] Checks a step that has no approval of its own. The voters must have seen and approved the step as part of the
 * plan.
 */
export function checkInheritedApproval(
  call: LedgerCall,
  { calls, effectsOf, skew }: HistoryIndex,
): Violation[] {
  const plan = calls.get(call.parent?.call ?? "");
  const [cover] = filterEvents(call, "approval-inherited");
  const input = call.payloads.input?.value as { name: string };
  const preview = call.payloads.preview?.value as unknown as Preview;
  return effectsOf(call.call).flatMap(({ at, digest }) => {
    const broken = (what: string) => [createViolation("P13", call.call, what)];
    if (!plan || !cover) return broken("had an effect that nobody had approved");
    if (cover.data.digest !== computeDigest(call)) return broken("is not what was shown with the whole");
    const votes = filterEvents(plan, "voted").filter(
      ({ at: cast, data }) =>
        cast <= at + skew && data.digest === cover.data.approval && data.decision === "approve",
    );
    const guards = (plan.approval?.guards ?? []).filter(
      ({ steps }) => !steps || steps.includes(readStep(call)),
    );
    const needed = Math.max(1, ...guards.map(({ quorum }) => quorum));
    if (new Set(votes.map(({ data }) => data.by)).size < needed)
      return broken("was covered by fewer people than were asked for");
    if (plan.approval?.digest !== cover.data.approval)
      return broken("was covered by an older round than the plan's last");
    return digest === effectDigest(input.name, preview.basis)
      ? []
      : broken("did something else than was shown with the whole");
  });
}

function computeDigest(call: LedgerCall): string {
  return approvalDigest({
    call: call.call,
    nonce: call.payloads.input?.salt ?? "",
    contract: { name: call.capability, version: call.version },
    input: call.payloads.input?.value ?? null,
    preview: call.payloads.preview?.value as unknown as Preview,
  });
}
