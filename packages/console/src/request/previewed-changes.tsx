import type { PreviewResult } from "../api/types.ts";
import { Changes } from "../approval/changes.tsx";
import { readSteps } from "../plans/plan-step.ts";
import { PlanSummary } from "../plans/plan-summary.tsx";
import { StepRow } from "../plans/step-row.tsx";

/** Shows the changes of a call that was not requested, or the steps of its plan. */
export function PreviewedChanges({
  input,
  result: { preview, previewed, ruling },
  masked = [],
}: {
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: PreviewResult;
  /** The paths of the values that are hidden from the reader. */
  readonly masked?: readonly string[];
}) {
  const steps = readSteps({ preview, input });
  if (steps)
    return (
      <section aria-label="What would change">
        <PlanSummary steps={steps} />
        <ol className="card divide-y divide-line overflow-hidden">
          {steps.map((step) => (
            <li key={step.id}>
              <StepRow step={step} isOut={false} />
            </li>
          ))}
        </ol>
      </section>
    );
  if (ruling === "block" && !preview) return null;
  return <Changes round={{ preview, previewed, input, masked: [...masked], title: "What would change" }} />;
}
