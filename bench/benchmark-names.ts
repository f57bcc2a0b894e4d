/** The benchmarks that run Paraph processes on the engine of `--engine`, in the order of docs/proof.md. */
export const engineBenchmarks = [
  "call",
  "approvals",
  "plan",
  "capabilities",
  "mcp",
  "burst",
  "size",
  "budget",
] as const;

/** All benchmarks in the order of docs/proof.md. The page also lists those without a result. */
export const benchmarkNames = [...engineBenchmarks, "engines", "policy", "backtest", "console"] as const;
