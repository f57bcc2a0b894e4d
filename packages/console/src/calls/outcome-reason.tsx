import { explainOutcome } from "@paraph/core/outcome-codes";
import type { Call } from "../api/types.ts";
import { Foreign, Sentence } from "../lib/foreign.tsx";

/** The code of an outcome, after its meaning if it is one of Paraph's codes. */
export function OutcomeReason({ outcome }: { readonly outcome: NonNullable<Call["outcome"]> }) {
  const { kind, code } = outcome;
  if (code === kind || code === "done") return null;
  const words = explainOutcome(outcome);
  return (
    <span>
      {words !== undefined && (
        <>
          <Sentence text={words} />{" "}
        </>
      )}
      <code className="text-xs font-normal [overflow-wrap:anywhere] text-muted">
        <Foreign text={code} />
      </code>
    </span>
  );
}
