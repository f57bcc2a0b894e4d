/** Every benchmark, in the order of docs/proof.md, which lists those without a result. */
export const benchmarkNames = [
  ...(["call", "approvals", "plan", "capabilities", "mcp", "policy", "backtest"] as const),
] as const;
