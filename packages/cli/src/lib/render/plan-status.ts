import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { PlanView } from "../api/api-views.ts";
import type { Context } from "../context.ts";
import { formatTimestamp, formatTimeUntil } from "../terminal/format-time.ts";
import { printOpenCall, printOutcome } from "./call.ts";
import { formatCommands } from "./commands.ts";
import { formatGuardList, formatPreviewTable, isInternalStep, summarizePlan } from "./plan.ts";

/** Prints a plan: its outcome or the awaited approvals, and the next command. */
export function printPlan({ output }: Context, plan: PlanView): void {
  const paint = output.paintInfo;
  if (plan.outcome) {
    const { output: _told, ...rest } = plan;
    printOutcome(rest, output);
    output.info(paint("dim", `  ${countOutcomes(plan)}`));
    output.info(`\n${formatCommands(suggestNextCommands(plan), paint)}`);
    return;
  }
  const asked = plan.waiting?.approval;
  const waiting = plan.steps.filter(({ state }) => state === "asking");
  if (asked) {
    output.info(
      `${paint(["bold", "yellow"], "? waiting for approval")}  ${plan.call}  ${summarizePlan(plan.steps)}`,
    );
    output.info(formatGuardList(asked.guards, paint));
    const expires = Date.parse(asked.expiresAt);
    output.info(
      paint("dim", `  Expires at ${formatTimestamp(expires)} (${formatTimeUntil(expires, Date.now())}).`),
    );
    output.info(`\n${formatPreviewTable(plan.steps, paint)}`);
    const next = [
      [`paraph approve ${plan.call}`, "review, then approve or deny"],
      [`paraph approve ${plan.call} --without ${pickRiskiestStep(plan)}`, "approve all steps except these"],
    ] as const;
    output.info(`\n${formatCommands(next, paint)}`);
  } else if (waiting.length > 0) {
    output.info(
      `${paint(["bold", "yellow"], "? a step waits for approval")}  ${plan.call}  ${waiting.map(({ step }) => escapeInvisible(step)).join(", ")}`,
    );
    output.info(
      `\n${formatCommands(
        waiting.map(({ call, step }) => [`paraph approve ${call}`, `step ${escapeInvisible(step)}`] as const),
        paint,
      )}`,
    );
  } else printOpenCall(plan, output, Date.now());
}

/** Returns the step that a person most likely wants to leave out. */
function pickRiskiestStep({ steps }: PlanView): string {
  const grave = steps.find(({ risk }) => risk === "high" || risk === "critical");
  return escapeInvisible((grave ?? steps.at(-1))?.step ?? "STEP");
}

function countOutcomes({ steps }: PlanView): string {
  const own = steps.filter(({ step }) => !isInternalStep(step));
  const words = own.map(({ status, outcome }) => outcome?.kind ?? status);
  return [...Map.groupBy(words, (word) => word)].map(([word, all]) => `${all.length} ${word}`).join(", ");
}

function suggestNextCommands({ call, undo }: PlanView): readonly (readonly [string, string])[] {
  return [
    [`paraph show ${call}`, "show every step"],
    ...(undo ? [[`paraph undo ${call}`, "undo what was done"] as const] : []),
    [`paraph receipt ${call} -o receipt.json`, "download the signed receipt"],
  ];
}
