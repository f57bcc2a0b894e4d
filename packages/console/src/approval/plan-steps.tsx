import { ArrowRight, Eye, type LucideIcon, Minus, Pencil, Plus, Send } from "lucide-react";
import { useContext, useState } from "react";
import type { Change, StepPreview } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { RiskMark } from "../ui/risk.tsx";
import { ChangeBlock } from "./change-block.tsx";
import { EndMark } from "./end-mark.tsx";
import { SeenContext } from "./seen.ts";

const icons: Partial<Record<Change["kind"], readonly [LucideIcon, string, string]>> = {
  create: [Plus, "text-added", "creates"],
  delete: [Minus, "text-removed", "deletes"],
  move: [ArrowRight, "text-ink", "moves"],
  send: [Send, "text-high", "sends"],
  update: [Pencil, "text-medium", "changes"],
};

/** The steps of a plan, one row each. Steps of high risk are open, and must be seen before an approval. */
export function PlanSteps({
  steps,
  changes,
}: {
  readonly steps: readonly StepPreview[];
  readonly changes: readonly Change[];
}) {
  const parts = splitChanges(steps, changes);
  return (
    <ol className="divide-y divide-line">
      {steps.map((step, index) => (
        <li key={step.id}>
          <PlanStep step={step} changes={parts[index] ?? []} number={index + 1} />
        </li>
      ))}
    </ol>
  );
}

function PlanStep({
  step,
  changes,
  number,
}: {
  readonly step: StepPreview;
  readonly changes: readonly Change[];
  readonly number: number;
}) {
  const isGrave = step.risk === "high" || step.risk === "critical";
  const [isOpen, setOpen] = useState(isGrave);
  const seen = useContext(SeenContext);
  const gravest = changes.find(({ kind }) => kind === "delete") ?? changes[0];
  const [Icon, color, word] = (gravest && icons[gravest.kind]) ?? [Eye, "text-muted", "affects"];
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex min-h-8.5 cursor-pointer items-center gap-2.5 px-3.5 py-1 -outline-offset-2 hover:bg-sunken max-md:min-h-11">
        <span className="w-6 flex-none text-right text-muted">{number}</span>
        <Icon size={15} role="img" aria-label={word} className={`flex-none ${color}`} />
        <span className="min-w-0 flex-1 truncate font-semibold" title={step.headline ?? step.capability}>
          <Foreign text={step.headline ?? step.capability} />
        </span>
        <code className="text-muted max-md:hidden">{step.capability}</code>
        <span className="flex-none text-sm md:w-20">
          <RiskMark risk={step.risk} />
        </span>
      </summary>
      {/* A closed step of high risk keeps its content, so that it does not count as seen. */}
      {(isOpen || isGrave) && (
        <SeenContext value={isGrave ? seen : undefined}>
          <div className="border-t border-line pl-4 max-md:pl-0">
            {changes.map((change, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the changes of one step never move
              <ChangeBlock key={index} change={change} />
            ))}
            {!step.previewed && (
              <p className="px-3.5 py-2 text-unknown">
                {step.dependsOn.length > 0
                  ? `Known later: previewed after ${step.dependsOn.join(", ")}.`
                  : "The changes of this step are unknown. It has no preview."}
              </p>
            )}
            {changes.length === 0 && <EndMark />}
          </div>
        </SeenContext>
      )}
    </details>
  );
}

/** Splits the changes of a plan by its steps, in order. */
function splitChanges(
  steps: readonly StepPreview[],
  changes: readonly Change[],
): readonly (readonly Change[])[] {
  let start = 0;
  return steps.map(({ changes: count }) => {
    const own = changes.slice(start, start + count);
    start += count;
    return own;
  });
}
