export { type BacktestProgress, type BacktestResult, backtestPolicies } from "./backtest.ts";
export { explainCall } from "./explain.ts";
export { type CasesResult, type LocatedPolicy, runCases } from "./run-cases.ts";
