import { explainNewRound, explainVoidRound } from "@paraph/core/outcome-codes";

/** Says why the votes of a round no longer count, and what to do in the round that follows it. */
export default function VoidReason({
  code,
  isNewRound = false,
}: {
  readonly code: string | undefined;
  readonly isNewRound?: boolean;
}) {
  return isNewRound ? explainNewRound(code) : explainVoidRound(code);
}
