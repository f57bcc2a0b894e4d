import type { Client } from "./client.ts";
import type { Context } from "./context.ts";
import { awaited } from "./follow.ts";
import { stepLine } from "./render/plan.ts";
import { span } from "./times.ts";
import type { PlanView } from "./views.ts";

/** How long one answer is held back: short enough that the end of a step is soon seen. */
const lookEveryMs = 1_000;

/**
 * The plan once it is over, or as it stands after `ms`, one line for each step as it ends; with `onlyNews`, for
 * those that end from now on. Unless `throughApproval`, also
 * as soon as it, or a step of it, waits for nobody but a person.
 */
export async function followPlan(
  context: Context,
  client: Client,
  plan: string,
  options: { readonly ms: number; readonly throughApproval: boolean; readonly onlyNews?: boolean },
): Promise<PlanView> {
  const { output } = context;
  const start = performance.now();
  const told = new Set<string>();
  for (let waitMs = 0; ; ) {
    const here = await client.ask<PlanView>(`/v1/plans/${encodeURIComponent(plan)}`, { waitMs });
    if (options.onlyNews && waitMs === 0) for (const step of closedIn(here)) told.add(step.step);
    if (!context.json) tellSteps(context, here, told);
    const passed = performance.now() - start;
    const left = options.ms - passed;
    if (here.outcome || left <= 0 || (!options.throughApproval && asksAPerson(here))) {
      output.status("");
      return here;
    }
    if (passed > 500) output.status(output.paintTalk("dim", `${awaited(here)} … ${span(passed)}`));
    waitMs = Math.min(left, lookEveryMs);
  }
}

function tellSteps({ output }: Context, plan: PlanView, told: Set<string>): void {
  for (const step of closedIn(plan)) {
    if (told.has(step.step)) continue;
    told.add(step.step);
    output.say(stepLine(step, plan.steps, output.paintTalk));
  }
}

function closedIn({ steps }: PlanView) {
  return steps.filter(({ status }) => status === "closed");
}

function asksAPerson({ waiting, steps }: PlanView): boolean {
  if (waiting?.for === "approval") return true;
  const open = steps.filter(({ status }) => status === "open");
  return open.length > 0 && open.every(({ state }) => state === "asking");
}
