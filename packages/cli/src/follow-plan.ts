import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import type { Client } from "./client.ts";
import type { Context } from "./context.ts";
import { awaited } from "./follow.ts";
import { stepLine } from "./render/plan.ts";
import { span } from "./times.ts";
import type { CallView, PlanView, StepView } from "./views.ts";

/** How long one answer is held back: short enough that the end of a step is soon seen. */
const lookEveryMs = 1_000;

/**
 * The plan once it is over, or as it stands after `ms`, one line for each step as it ends; those in `told` were told
 * before. Unless `throughApproval`, also as soon as it, or a step of it, waits for nobody but a person.
 */
export async function followPlan(
  context: Context,
  client: Client,
  plan: string,
  options: { readonly ms: number; readonly throughApproval: boolean; readonly told?: Iterable<string> },
): Promise<PlanView> {
  const { output } = context;
  const start = performance.now();
  const told = new Set(options.told);
  for (let waitMs = 0; ; ) {
    const here = await client.ask<PlanView>(`/v1/plans/${encodeURIComponent(plan)}`, { waitMs });
    if (!context.json) await tellSteps(context, client, here, told);
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

async function tellSteps(
  { output }: Context,
  client: Client,
  plan: PlanView,
  told: Set<string>,
): Promise<void> {
  for (const step of closedIn(plan)) {
    if (told.has(step.step)) continue;
    told.add(step.step);
    output.say(stepLine(step, plan.steps, output.paintTalk));
    const why = step.outcome?.kind === "succeeded" ? undefined : await errorOf(client, step);
    if (why !== undefined) output.say(`    ${why}`);
  }
}

/** What the step's capability said, as one line of visible text. */
async function errorOf(client: Client, { call }: StepView): Promise<string | undefined> {
  if (call === undefined) return undefined;
  const { error } = await client.ask<CallView>(`/v1/calls/${encodeURIComponent(call)}`);
  return error === undefined
    ? undefined
    : typeof error === "string"
      ? escapeInvisible(error)
      : escapeInvisibleJson(error);
}

export function closedIn({ steps }: PlanView) {
  return steps.filter(({ status }) => status === "closed");
}

function asksAPerson({ waiting, steps }: PlanView): boolean {
  if (waiting?.for === "approval") return true;
  const open = steps.filter(({ status }) => status === "open");
  return open.length > 0 && open.every(({ state }) => state === "asking");
}
