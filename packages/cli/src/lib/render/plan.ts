import type { Change } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { GuardView, PreviewView, StepView } from "../api/api-views.ts";
import type { Paint, Style } from "../terminal/output.ts";
import { formatTable, type TableColumn } from "../terminal/table.ts";
import { measureWidth, padToWidth, wrapToWidth } from "../terminal/width.ts";
import { formatChangeLine } from "./changes.ts";
import { pickOutcomeStyle } from "./outcome.ts";
import { formatRequiredPeople } from "./required-people.ts";

/** A row in the list of steps of a preview or of a plan. */
type StepRow = Pick<
  StepView,
  "step" | "capability" | "effect" | "risk" | "previewed" | "inputKnown" | "dependsOn"
> &
  Partial<StepView>;

/** Returns the steps of a preview, each with its own changes. */
export function toStepRows({ steps = [], changes }: PreviewView): StepRow[] {
  let from = 0;
  return steps.map(({ id, changes: count, ...step }) => {
    const own = changes.slice(from, from + count);
    from += count;
    return { ...step, step: id, changes: own };
  });
}

export function formatPreviewTable(steps: readonly StepRow[], paint: Paint): string {
  return formatTable(
    [...buildCommonColumns(steps), { title: "CHANGES", text: formatStepChanges, flexible: true }],
    steps,
    paint,
  );
}

export function formatStepsTable(steps: readonly StepRow[], paint: Paint): string {
  const stands: TableColumn<StepRow> = { title: "STATUS", text: formatStatus, style: pickStatusStyle };
  const call: TableColumn<StepRow> = { title: "CALL", text: ({ call }) => call ?? "" };
  return formatTable([...buildCommonColumns(steps), stands, call], steps, paint);
}

function buildCommonColumns(steps: readonly StepRow[]): TableColumn<StepRow>[] {
  const numbers = new Map(
    steps.map((step, index) => [step, isInternalStep(step.step) ? "" : String(index + 1)]),
  );
  return [
    { title: "", text: (step) => numbers.get(step) ?? "", right: true },
    { title: "STEP", text: ({ step }) => step },
    { title: "CAPABILITY", text: ({ capability }) => capability },
    { title: "EFFECT", text: ({ effect }) => effect ?? "", style: pickEffectStyle },
    { title: "RISK", text: ({ risk }) => risk ?? "", style: pickRiskStyle },
  ];
}

/**
 * Returns whether Paraph added the step itself, for example for a compensation. The plan's document does not contain
 * such a step.
 */
export function isInternalStep(step: string): boolean {
  return step.startsWith("$");
}

/** Formats one line for a step that ended. Its columns align with those of the plan's other steps. */
export function formatStepLine(ended: StepView, steps: readonly StepView[], paint: Paint): string {
  const { step, capability, outcome, call } = ended;
  const kind = outcome?.kind ?? "open";
  const code = outcome === undefined || outcome.code === "done" ? "" : ` (${escapeInvisible(outcome.code)})`;
  const mark = kind === "succeeded" ? "✔" : kind === "unknown" ? "?" : "✘";
  const head = padToWidth(
    escapeInvisible(step),
    measureWidest(steps, (one) => one.step),
  );
  const what = padToWidth(
    escapeInvisible(capability),
    measureWidest(steps, (one) => one.capability),
  );
  return `${paint(pickOutcomeStyle(kind), `${mark} ${head}`)}  ${what}  ${kind}${code}  ${paint("dim", call ?? "")}`;
}

function measureWidest(steps: readonly StepView[], text: (step: StepView) => string): number {
  const planned = steps.filter(({ step }) => !isInternalStep(step));
  return Math.max(0, ...planned.map((step) => measureWidth(escapeInvisible(text(step)))));
}

/** Formats the required approvals, with their steps and reasons. */
export function formatGuardList(guards: readonly GuardView[], paint: Paint): string {
  return guards.map((guard) => formatGuardLine(guard, paint)).join("\n");
}

function formatGuardLine({ id, sentence, steps, ...required }: GuardView, paint: Paint): string {
  const which = steps === undefined ? "the whole call" : steps.map(escapeInvisible).join(", ");
  const why = `${escapeInvisible(sentence)} (policy ${escapeInvisible(id)})`;
  return [
    ...wrapToWidth(`? ${formatRequiredPeople([required])} for ${which}`, paint.width && paint.width - 4).map(
      (line, index) => `${index === 0 ? "  " : "    "}${paint("yellow", line)}`,
    ),
    ...wrapToWidth(why, paint.width && paint.width - 4).map((line) => `    ${line}`),
  ].join("\n");
}

export function summarizePlan(steps: readonly StepRow[]): string {
  const grave = steps.filter(({ risk }) => risk === "high" || risk === "critical").length;
  const count = steps.length === 1 ? "1 step" : `${steps.length} steps`;
  return grave === 0 ? count : `${count}, ${grave} of high risk`;
}

/** Formats a step's dependencies and changes. */
function formatStepChanges(step: StepRow): string {
  const { previewed, dependsOn = [], changes = [] } = step;
  if (previewed === undefined) return "";
  if (!previewed) return formatDependencies(step);
  // The dependencies come first, because a narrow terminal cuts off the end of the line.
  return dependsOn.length === 0
    ? summarizeChanges(changes)
    : `${formatDependencies(step)}: ${summarizeChanges(changes)}`;
}

/**
 * Returns a note about the preview of a step. If the step has dependencies, the note lists them, because Paraph
 * previews the step again after they are done. If not, the note states why the step shows no changes.
 */
export function formatDependencies({ dependsOn = [], effect }: StepRow): string {
  if (dependsOn.length === 0 && effect === "read") return "nothing (read only)";
  if (dependsOn.length === 0) return "no preview, so the changes are unknown";
  return `previewed again after ${dependsOn.map(escapeInvisible).join(", ")} ${dependsOn.length === 1 ? "is" : "are"} done`;
}

function summarizeChanges([first, ...rest]: readonly Change[]): string {
  if (!first) return "nothing";
  return rest.length === 0 ? formatChangeLine(first) : `${formatChangeLine(first)}, and ${rest.length} more`;
}

function formatStatus({ status, state, outcome }: StepRow): string {
  if (outcome) return outcome.code === "done" ? outcome.kind : `${outcome.kind} (${outcome.code})`;
  return status === "open" ? (state ?? "open") : (status ?? "");
}

function pickStatusStyle({ status, outcome }: StepRow): Style {
  if (outcome) return pickOutcomeStyle(outcome.kind);
  return status === "open" ? "yellow" : "dim";
}

function pickEffectStyle({ effect }: StepRow): Style | undefined {
  return effect === "destroy" ? "red" : undefined;
}

function pickRiskStyle({ risk }: StepRow): Style | undefined {
  return risk === "high" || risk === "critical" ? "red" : undefined;
}
