/** All benchmarks in the order of docs/proof.md. The page also lists those without a result. */
export const benchmarkNames = [
  ...(["call", "approvals", "plan", "capabilities", "mcp", "policy", "backtest"] as const),
] as const;
