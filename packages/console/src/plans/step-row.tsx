import { Link } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { useContext, useState } from "react";
import { ChangeBlock } from "../approval/change-block.tsx";
import { EndMark } from "../approval/end-mark.tsx";
import { SeenContext } from "../approval/seen.ts";
import { OutcomeMark } from "../calls/outcome-mark.tsx";
import { Foreign } from "../lib/foreign.tsx";
import { RiskMark } from "../ui/risk.tsx";
import { explainLeftOut, usePlanChoice } from "./plan-choice.ts";
import { isGrave, type PlanStep } from "./plan-step.ts";
import { describeStep } from "./plan-summary.tsx";

/** One step. An approver can leave it out, and must see the changes of a step of high risk. */
export function StepRow({ step, isOut }: { readonly step: PlanStep; readonly isOut: boolean }) {
  const { headline, number, capability, risk, changes } = step;
  const isOpenAtFirst = isGrave(step) && step.progress === undefined;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const seen = useContext(SeenContext);
  const [Icon, color, words] = describeStep(step);
  const choice = usePlanChoice();
  const out = choice && explainLeftOut(choice, step.id);
  const summary = changes.length === 1 ? changes[0]?.summary : undefined;
  return (
    <div className="flex">
      <StepChoice step={step} />
      <details
        open={isOpen}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        className="group min-w-0 flex-1"
      >
        <summary className="flex min-h-8.5 cursor-pointer list-none items-center gap-2.5 py-1 pr-3.5 pl-1 -outline-offset-2 hover:bg-sunken max-md:min-h-11 max-md:gap-2 [&::-webkit-details-marker]:hidden">
          <span className="w-6 flex-none text-right text-muted">{number}</span>
          <Icon size={15} role="img" aria-label={words} className={`flex-none ${color}`} />
          <span className="min-w-0 flex-1 md:truncate" title={headline}>
            <span className={`font-semibold ${isOut ? "text-muted line-through" : ""}`}>
              <Foreign text={headline} />
            </span>{" "}
            <span className="text-muted">
              {out ??
                (step.preview === "shown" ? summary !== undefined && <Foreign text={summary} /> : words)}
            </span>
          </span>
          <code className="text-muted max-lg:hidden">{capability}</code>
          {step.progress ? (
            <span className="flex-none text-sm md:w-32">
              <StepStatus progress={step.progress} />
            </span>
          ) : (
            <span className="flex-none text-sm md:w-20">{risk && <RiskMark risk={risk} />}</span>
          )}
          <ChevronDown
            size={15}
            aria-hidden="true"
            className="flex-none -rotate-90 text-muted group-open:rotate-0"
          />
        </summary>
        {/* A closed step of high risk keeps its content, so that it does not count as seen. */}
        {(isOpen || isOpenAtFirst) && (
          <SeenContext value={isOpenAtFirst && !isOut ? seen : undefined}>
            <StepDetail step={step} />
          </SeenContext>
        )}
      </details>
    </div>
  );
}

function StepDetail({
  step: { changes, preview, dependsOn, isRead, progress },
}: {
  readonly step: PlanStep;
}) {
  return (
    <div className="border-t border-line pl-4 max-md:pl-0">
      {changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the changes of one step never move
        <ChangeBlock key={index} change={change} />
      ))}
      {preview === "later" && (
        <p className="px-3.5 py-2 text-unknown">
          Known later: previewed after {dependsOn.join(", ")}. Policy rules on it again then.
        </p>
      )}
      {preview === "never" && !isRead && (
        <p className="px-3.5 py-2 text-high">The changes of this step are unknown. It has no preview.</p>
      )}
      {changes.length === 0 && isRead && <p className="px-3.5 py-2 text-muted">This step only reads.</p>}
      {progress?.call !== undefined && (
        <p className="px-3.5 py-2">
          <Link to="/calls/$call" params={{ call: progress.call }} className="link">
            Open the call of this step
          </Link>
        </p>
      )}
      {changes.length === 0 && <EndMark />}
    </div>
  );
}

function StepStatus({ progress }: { readonly progress: NonNullable<PlanStep["progress"]> }) {
  const words = { planned: "Planned", declined: "Left out", skipped: "Skipped" } as const;
  const { status, state, outcome } = progress;
  if (status === "open" || status === "closed")
    return <OutcomeMark state={state ?? "performing"} outcome={outcome} />;
  return <span className="text-muted">{words[status]}</span>;
}

/** The box with which an approver takes a step into the approval. */
function StepChoice({ step: { id, number } }: { readonly step: PlanStep }) {
  const choice = usePlanChoice();
  if (!choice) return <span className="w-2.5 flex-none" />;
  const isFixed = choice.leftOutByOthers.has(id);
  const isOut = isFixed || choice.leftOut.some((step) => step.id === id);
  return (
    <label className="grid min-h-8.5 w-10 flex-none cursor-pointer place-items-center self-start max-md:min-h-11 max-md:w-11">
      <input
        type="checkbox"
        checked={!isOut}
        disabled={isFixed}
        onChange={() => choice.toggle(id)}
        aria-label={isFixed ? `Step ${number}, left out by another approver` : `Approve step ${number}`}
        className="size-4 accent-ink"
      />
    </label>
  );
}
