import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { Context } from "../context.ts";
import { moment, until } from "../times.ts";
import type { PlanView } from "../views.ts";
import { tellEnd, tellOpen } from "./call.ts";
import { commands } from "./commands.ts";
import { guardLines, isOurs, planSummary, previewTable } from "./plan.ts";

/** How a plan stands: how it ended, or what and whom it waits for, and what to type next. */
export function tellPlan({ output }: Context, plan: PlanView): void {
  const paint = output.paintTalk;
  if (plan.outcome) {
    const { output: _told, ...rest } = plan;
    tellEnd(rest, output);
    output.say(paint("dim", `  ${tally(plan)}`));
    output.say(`\n${commands(afterwards(plan), paint)}`);
    return;
  }
  const asked = plan.waiting?.approval;
  const waiting = plan.steps.filter(({ state }) => state === "asking");
  if (asked) {
    output.say(
      `${paint(["bold", "yellow"], "? waiting for a person")}  ${plan.call}  ${planSummary(plan.steps)}`,
    );
    output.say(guardLines(asked.guards, paint));
    const expires = Date.parse(asked.expiresAt);
    output.say(paint("dim", `  Until ${moment(expires)} (${until(expires, Date.now())}).`));
    output.say(`\n${previewTable(plan.steps, paint)}`);
    const next = [
      [`paraph approve ${plan.call}`, "look, then say yes or no"],
      [`paraph approve ${plan.call} --without ${gravest(plan)}`, "yes, but not to these steps"],
    ] as const;
    output.say(`\n${commands(next, paint)}`);
  } else if (waiting.length > 0) {
    output.say(
      `${paint(["bold", "yellow"], "? a step waits for a person")}  ${plan.call}  ${waiting.map(({ step }) => escapeInvisible(step)).join(", ")}`,
    );
    output.say(
      `\n${commands(
        waiting.map(({ call, step }) => [`paraph approve ${call}`, `step ${escapeInvisible(step)}`] as const),
        paint,
      )}`,
    );
  } else tellOpen(plan, output, Date.now());
}

/** A step that somebody may well want to leave out. */
function gravest({ steps }: PlanView): string {
  const grave = steps.find(({ risk }) => risk === "high" || risk === "critical");
  return escapeInvisible((grave ?? steps.at(-1))?.step ?? "STEP");
}

/** How many of its steps came to what. */
function tally({ steps }: PlanView): string {
  const own = steps.filter(({ step }) => !isOurs(step));
  const words = own.map(({ status, outcome }) => outcome?.kind ?? status);
  return [...Map.groupBy(words, (word) => word)].map(([word, all]) => `${all.length} ${word}`).join(", ");
}

function afterwards({ call, undo }: PlanView): readonly (readonly [string, string])[] {
  return [
    [`paraph show ${call}`, "every step"],
    ...(undo ? [[`paraph undo ${call}`, "take back what was done"] as const] : []),
    [`paraph receipt ${call} -o receipt.json`, "the signed story"],
  ];
}
