import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@paraph/core";

/** The query interface through which the clock reads `paraph.now()`, in milliseconds. */
export interface TimeSource {
  query(text: { name: string; text: string }): Promise<{ rows: { ms: string | number }[] }>;
}

/** The number of readings before the clock is used. The one with the narrowest bounds decides. */
const firstReadings = 5;

/**
 * Creates a clock that follows `paraph.now()`. It stamps events and measures durations. Once a second, it compares its
 * time with the database. Transactions do not use this clock for waits. They use only `paraph.now()`.
 */
export async function createDatabaseClock(
  source: TimeSource,
): Promise<Clock & { stop(): void; read(): Promise<void> }> {
  let offset: number | undefined;
  const now = () => Math.round(performance.now() + (offset ?? 0));
  const read = async () => {
    const before = performance.now();
    const { rows } = await source.query({
      name: "now",
      text: "select extract(epoch from paraph.now()) * 1000 as ms",
    });
    const after = performance.now();
    // PostgreSQL read its clock at some time between the request and the response, so these two times bound the offset.
    // A slow response gives wide bounds. The present offset is kept if it lies within the bounds.
    const [min, max] = [Number(rows[0]?.ms) - after, Number(rows[0]?.ms) - before];
    offset = offset === undefined ? (min + max) / 2 : Math.min(Math.max(offset, min), max);
  };
  // A first response that is slow gives wide bounds. The time could then be wrong for a second, until the next reading.
  for (let reading = 1; reading <= firstReadings; reading += 1) await read();
  let reading = false;
  // Only one read runs at a time. Otherwise, reads would accumulate while the database does not answer, and exhaust the
  // pool.
  const follow = async () => {
    if (reading) return;
    reading = true;
    await read().catch(() => {});
    reading = false;
  };
  const timer = setInterval(() => void follow(), 1_000);
  timer.unref();
  return {
    now,
    read,
    sleep: (ms) => sleep(ms),
    deadline(ms) {
      const controller = new AbortController();
      const abort = setTimeout(() => controller.abort(), ms);
      return { signal: controller.signal, clear: () => clearTimeout(abort) };
    },
    stop: () => clearInterval(timer),
  };
}
