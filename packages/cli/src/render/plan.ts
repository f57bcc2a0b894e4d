import type { Change } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { Paint, Style } from "../output.ts";
import { type Column, table } from "../table.ts";
import type { GuardView, PreviewView, StepView } from "../views.ts";
import { foldTo, padTo, widthOf } from "../width.ts";
import { changeLine } from "./changes.ts";
import { outcomeStyle } from "./outcome.ts";

/** A step as it is listed: of a preview, or of a plan as it stands. */
type Listed = Pick<StepView, "step" | "capability" | "effect" | "risk" | "seen" | "known" | "restsOn"> &
  Partial<StepView>;

/** The steps of a preview, each with the changes that are its own. */
export function stepsIn({ steps = [], changes }: PreviewView): Listed[] {
  let from = 0;
  return steps.map(({ id, changes: count, ...step }) => {
    const own = changes.slice(from, from + count);
    from += count;
    return { ...step, step: id, changes: own };
  });
}

/** What a plan would do, step by step. */
export function previewTable(steps: readonly Listed[], paint: Paint): string {
  return table([...common(steps), { title: "WHAT CHANGES", text: changes, flexible: true }], steps, paint);
}

/** What became of a plan, step by step. */
export function stepsTable(steps: readonly Listed[], paint: Paint): string {
  const stands: Column<Listed> = { title: "STANDS", text: standing, style: styleOf };
  const call: Column<Listed> = { title: "CALL", text: ({ call }) => call ?? "" };
  return table([...common(steps), stands, call], steps, paint);
}

function common(steps: readonly Listed[]): Column<Listed>[] {
  const numbers = new Map(steps.map((step, index) => [step, isOurs(step.step) ? "" : String(index + 1)]));
  return [
    { title: "", text: (step) => numbers.get(step) ?? "", right: true },
    { title: "STEP", text: ({ step }) => step },
    { title: "CAPABILITY", text: ({ capability }) => capability },
    { title: "EFFECT", text: ({ effect }) => effect ?? "", style: effectStyle },
    { title: "RISK", text: ({ risk }) => risk ?? "", style: riskStyle },
  ];
}

/** A step that no plan names: the way back, where it is taken within the plan itself. */
export function isOurs(step: string): boolean {
  return step.startsWith("$");
}

/** One line for a step as it ends, in columns with those of the whole plan. */
export function stepLine(ended: StepView, steps: readonly StepView[], paint: Paint): string {
  const { step, capability, outcome, call } = ended;
  const kind = outcome?.kind ?? "open";
  const code = outcome === undefined || outcome.code === "done" ? "" : ` (${escapeInvisible(outcome.code)})`;
  const mark = kind === "succeeded" ? "✔" : kind === "unknown" ? "?" : "✘";
  const head = padTo(
    escapeInvisible(step),
    widest(steps, (one) => one.step),
  );
  const what = padTo(
    escapeInvisible(capability),
    widest(steps, (one) => one.capability),
  );
  return `${paint(outcomeStyle(kind), `${mark} ${head}`)}  ${what}  ${kind}${code}  ${paint("dim", call ?? "")}`;
}

function widest(steps: readonly StepView[], text: (step: StepView) => string): number {
  const planned = steps.filter(({ step }) => !isOurs(step));
  return Math.max(0, ...planned.map((step) => widthOf(escapeInvisible(text(step)))));
}

/** Whom it asks, for which steps, and why. */
export function guardLines(guards: readonly GuardView[], paint: Paint): string {
  return guards.map((guard) => guardLine(guard, paint)).join("\n");
}

function guardLine({ id, sentence, quorum, group, steps }: GuardView, paint: Paint): string {
  const people = quorum === 1 ? "one person" : `${quorum} people`;
  const who = group === undefined ? people : `${people} of ${escapeInvisible(group)}`;
  const which = steps === undefined ? "the whole" : steps.map(escapeInvisible).join(", ");
  const why = `${escapeInvisible(sentence)} (policy ${escapeInvisible(id)})`;
  return [
    ...foldTo(`? ${who} for ${which}`, paint.width && paint.width - 4).map(
      (line, index) => `${index === 0 ? "  " : "    "}${paint("yellow", line)}`,
    ),
    ...foldTo(why, paint.width && paint.width - 4).map((line) => `    ${line}`),
  ].join("\n");
}

/** How many of what, in one line. */
export function planSummary(steps: readonly Listed[]): string {
  const grave = steps.filter(({ risk }) => risk === "high" || risk === "critical").length;
  const count = steps.length === 1 ? "1 step" : `${steps.length} steps`;
  return grave === 0 ? count : `${count}, ${grave} of high risk`;
}

/** What it changes, and what that rests on. */
function changes(step: Listed): string {
  const { seen, restsOn = [], changes = [] } = step;
  if (seen === undefined) return "";
  if (!seen) return onWhat(step);
  // First, because a narrow terminal cuts the end.
  return restsOn.length === 0 ? summary(changes) : `${onWhat(step)}: ${summary(changes)}`;
}

/** A step is looked at again once those before it are done; one that was not looked at says why. */
export function onWhat({ restsOn = [], effect }: Listed): string {
  if (restsOn.length === 0 && effect === "read") return "nothing: it only reads";
  if (restsOn.length === 0) return "no preview: nobody knows what exactly would change";
  return `looked at again once ${restsOn.map(escapeInvisible).join(", ")} ${restsOn.length === 1 ? "is" : "are"} done`;
}

function summary([first, ...rest]: readonly Change[]): string {
  if (!first) return "nothing";
  return rest.length === 0 ? changeLine(first) : `${changeLine(first)}, and ${rest.length} more`;
}

function standing({ status, state, outcome }: Listed): string {
  if (outcome) return outcome.code === "done" ? outcome.kind : `${outcome.kind} (${outcome.code})`;
  return status === "open" ? (state ?? "open") : (status ?? "");
}

function styleOf({ status, outcome }: Listed): Style {
  if (outcome) return outcomeStyle(outcome.kind);
  return status === "open" ? "yellow" : "dim";
}

function effectStyle({ effect }: Listed): Style | undefined {
  return effect === "destroy" ? "red" : undefined;
}

function riskStyle({ risk }: Listed): Style | undefined {
  return risk === "high" || risk === "critical" ? "red" : undefined;
}
