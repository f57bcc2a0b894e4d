import { computeLatency, type Latency } from "../lib/stats.ts";
import { performEffect } from "./config.ts";

/** Measures direct calls of the function that the governed write performs. */
export async function measureDirectCalls(calls = 20_000): Promise<Latency> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) {
    const begun = performance.now();
    await performEffect();
    times.push(performance.now() - begun);
  }
  return computeLatency(times.slice(calls / 10));
}
