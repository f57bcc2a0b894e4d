export { explainOutcome, type OutcomeCode, type OutcomeCodeType, outcomeCodes } from "./outcome-codes.ts";
export { explainNewRound, explainVoidRound } from "./void-round.ts";
