export { type BacktestProgress, type BacktestResult, backtestPolicies } from "./backtest.ts";
export { parseCases } from "./cases.ts";
export { explainCall } from "./explain.ts";
export { type CasesResult, type LocatedPolicy, runCases } from "./run-cases.ts";
