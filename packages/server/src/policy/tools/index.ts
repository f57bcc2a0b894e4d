export { backtest, type Progress, type Result } from "./backtest.ts";
export { casesIn } from "./cases.ts";
export { explain } from "./explain.ts";
export { type CasesResult, type Placed, runCases } from "./run-cases.ts";
