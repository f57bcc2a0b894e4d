export { type BacktestOptions, backtest, type Progress, type Result } from "./backtest.ts";
export { type CaseFault, casesIn, type PolicyCase } from "./cases.ts";
export { type Explanation, explain } from "./explain.ts";
export { type CaseResult, type CasesResult, type Placed, runCases } from "./run-cases.ts";
