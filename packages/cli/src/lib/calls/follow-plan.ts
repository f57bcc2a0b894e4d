import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import type { CallView, PlanView, StepView } from "../api/api-views.ts";
import type { ApiClient } from "../api/client.ts";
import type { Context } from "../context.ts";
import { formatStepLine } from "../render/plan.ts";
import { formatDuration } from "../terminal/format-time.ts";
import { describeWaiting } from "./follow-call.ts";

/**
 * The time for which the server may hold one request. It is short, so that the command soon shows the end of a step.
 */
const pollMs = 1_000;

/**
 * Waits until the plan is closed or `ms` have passed. Prints one line for each step when the step ends, except for the
 * steps in `told`. Without `throughApproval`, the function also returns when the plan can continue only after an
 * approval.
 */
export async function followPlan(
  context: Context,
  client: ApiClient,
  plan: string,
  options: { readonly ms: number; readonly throughApproval: boolean; readonly told?: Iterable<string> },
): Promise<PlanView> {
  const { output } = context;
  const start = performance.now();
  const told = new Set(options.told);
  for (let waitMs = 0; ; ) {
    const here = await client.request<PlanView>(`/v1/plans/${encodeURIComponent(plan)}`, { waitMs });
    if (!context.json) await printSteps(context, client, here, told);
    const passed = performance.now() - start;
    const left = options.ms - passed;
    if (here.outcome || left <= 0 || (!options.throughApproval && isWaitingForPerson(here))) {
      output.status("");
      return here;
    }
    if (passed > 500)
      output.status(output.paintInfo("dim", `${describeWaiting(here)} … ${formatDuration(passed)}`));
    waitMs = Math.min(left, pollMs);
  }
}

async function printSteps(
  { output }: Context,
  client: ApiClient,
  plan: PlanView,
  told: Set<string>,
): Promise<void> {
  for (const step of filterClosedSteps(plan)) {
    if (told.has(step.step)) continue;
    told.add(step.step);
    output.info(formatStepLine(step, plan.steps, output.paintInfo));
    const why = step.outcome?.kind === "succeeded" ? undefined : await fetchStepError(client, step);
    if (why !== undefined) output.info(`    ${why}`);
  }
}

/** Returns the error of the step's capability, as one line of visible text. */
async function fetchStepError(client: ApiClient, { call }: StepView): Promise<string | undefined> {
  if (call === undefined) return undefined;
  const { error } = await client.request<CallView>(`/v1/calls/${encodeURIComponent(call)}`);
  return error === undefined
    ? undefined
    : typeof error === "string"
      ? escapeInvisible(error)
      : escapeInvisibleJson(error);
}

export function filterClosedSteps({ steps }: PlanView) {
  return steps.filter(({ status }) => status === "closed");
}

function isWaitingForPerson({ waiting, steps }: PlanView): boolean {
  if (waiting?.for === "approval") return true;
  const open = steps.filter(({ status }) => status === "open");
  return open.length > 0 && open.every(({ state }) => state === "asking");
}
