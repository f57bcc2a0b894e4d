import { type Latency, latencyOf } from "../lib/stats.ts";
import { act } from "./config.ts";

/** The function that the governed write carries out, called as any function is. */
export async function direct(calls = 20_000): Promise<Latency> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) {
    const begun = performance.now();
    await act();
    times.push(performance.now() - begun);
  }
  return latencyOf(times.slice(calls / 10));
}
