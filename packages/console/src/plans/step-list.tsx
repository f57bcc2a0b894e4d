import { useNavigate, useSearch } from "@tanstack/react-router";
import { FilterChip } from "../ui/filter-chip.tsx";
import { explainLeftOut, usePlanChoice } from "./plan-choice.ts";
import { isGrave, type PlanStep } from "./plan-step.ts";
import { StepRow } from "./step-row.tsx";

/** A filter of the steps, as it is in the address. */
export const stepFilters = ["high", "later", "out"] as const;
export type StepFilter = (typeof stepFilters)[number];

/** Rows beyond this number are laid out only near the screen. */
const maxLaidOut = 100;

/** The steps of a plan, one row each. Steps of high risk are open at first. */
export function StepList({ steps }: { readonly steps: readonly PlanStep[] }) {
  const choice = usePlanChoice();
  const { steps: filter } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isOut = ({ id, progress }: PlanStep) =>
    progress?.status === "declined" ||
    progress?.status === "skipped" ||
    (choice !== undefined && explainLeftOut(choice, id) !== undefined);
  const matching: Record<StepFilter, readonly PlanStep[]> = {
    high: steps.filter(isGrave),
    later: steps.filter(({ preview, isRead }) => preview !== "shown" && !isRead),
    out: steps.filter(isOut),
  };
  const chips: readonly (readonly [StepFilter | undefined, string, number])[] = [
    [undefined, "All", steps.length],
    ["high", "High risk", matching.high.length],
    ["later", "Not previewed", matching.later.length],
    ["out", "Left out", matching.out.length],
  ];
  return (
    <>
      <div className="flex flex-wrap gap-2 border-b border-line px-3.5 py-2">
        {chips.map(
          ([value, name, count]) =>
            (count > 0 || value === filter) && (
              <FilterChip
                key={name}
                name={`${name} ${count}`}
                isCurrent={value === filter}
                onPress={() =>
                  void navigate({ to: ".", search: (old) => ({ ...old, steps: value }), replace: true })
                }
              />
            ),
        )}
      </div>
      <ol className="divide-y divide-line">
        {steps.map((step) => (
          // A filtered step stays in the document, so that it does not count as seen.
          <li
            key={step.id}
            hidden={filter !== undefined && !matching[filter].includes(step)}
            className={
              steps.length > maxLaidOut ? "[contain-intrinsic-size:auto_36px] [content-visibility:auto]" : ""
            }
          >
            <StepRow step={step} isOut={isOut(step)} />
          </li>
        ))}
      </ol>
    </>
  );
}
