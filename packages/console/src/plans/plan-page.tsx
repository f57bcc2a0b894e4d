import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { planQuery } from "../api/queries.ts";
import type { Plan } from "../api/types.ts";
import { Fact } from "../approval/fact.tsx";
import { ApproversCard } from "../calls/approvers-card.tsx";
import { CallSummary } from "../calls/call-summary.tsx";
import { OutcomeMark } from "../calls/outcome-mark.tsx";
import { useTitle } from "../shell/use-title.ts";
import { Breadcrumb } from "../ui/breadcrumb.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { type PlanStep, readPlan } from "./plan-step.ts";
import { PlanSummary } from "./plan-summary.tsx";
import { StepList } from "./step-list.tsx";

const failureTexts: Readonly<Record<string, string>> = {
  stop: "Paraph starts no further steps and keeps the completed ones.",
  continue: "Paraph continues with the steps that do not depend on it.",
  compensate: "Paraph starts no further steps and undoes the completed ones in reverse order.",
};

/** One plan: what it changes, and what became of each step. */
export function PlanPage() {
  const { call: id } = useParams({ from: "/plans/$call" });
  const { data: plan, isPending, error, refetch } = useQuery(planQuery(id));
  useTitle(plan?.headline ?? "Plan");
  if (isPending) return <Skeleton />;
  if (!plan) return <LoadError error={error ?? new Error()} onRetry={() => void refetch()} />;
  const steps = readPlan(plan);
  return (
    <article aria-labelledby="fact" className="h-full overflow-y-auto px-4 pb-8 md:px-6">
      <Breadcrumb
        links={[
          <Link key="list" to="/plans" search={{}}>
            Plans
          </Link>,
        ]}
        name={<code>{plan.call}</code>}
      />
      <div className="flex flex-wrap items-center gap-3">
        <OutcomeMark state={plan.state} outcome={plan.outcome} finding={plan.resolution?.finding} />
        <span className="text-muted">{formatProgress(steps)}</span>
      </div>
      <Fact text={plan.headline} />
      <CallSummary call={plan} />
      <FailureRule plan={plan} steps={steps} />
      <ApproversCard call={plan} />
      <div className="max-w-300">
        <PlanSummary steps={steps} />
        <section aria-label="Steps" className="card overflow-hidden">
          <StepList steps={steps} />
        </section>
      </div>
    </article>
  );
}

/** Says how the plan goes on after a step that does not succeed, as long as a step can still run. */
function FailureRule({
  plan: { call, input, outcome },
  steps,
}: {
  readonly plan: Plan;
  readonly steps: readonly PlanStep[];
}) {
  const { onFailure } = (input ?? {}) as { readonly onFailure?: unknown };
  const failure = outcome || steps.length === 1 ? undefined : failureTexts[String(onFailure)];
  return (
    <p className="mb-3 max-w-240 text-muted">
      {failure !== undefined && `If a step does not succeed: ${failure} `}
      <Link to="/calls/$call" params={{ call }} className="link">
        Open the timeline
      </Link>
    </p>
  );
}

/** Formats how far a plan is, such as `3 of 15 steps have ended`. */
function formatProgress(steps: readonly PlanStep[]): string {
  const taken = steps.filter(({ progress }) => progress?.status !== "declined");
  const ended = taken.filter(({ progress }) => progress?.status === "closed").length;
  return `${ended} of ${taken.length} ${taken.length === 1 ? "step has" : "steps have"} ended`;
}
