import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@paraph/core";

/** How the clock asks the database: milliseconds by paraph.now(). */
export interface TimeSource {
  query(text: { name: string; text: string }): Promise<{ rows: { ms: string | number }[] }>;
}

/**
 * Follows paraph.now(). Waits are decided by that function inside transactions; this copy stamps events and
 * measures, and is held against it once a second.
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
    // The answer was true at some moment between asking and hearing, so it bounds the offset. A slow answer says
    // little, and where it does not contradict what we have, we keep that.
    const [least, most] = [Number(rows[0]?.ms) - after, Number(rows[0]?.ms) - before];
    offset = offset === undefined ? (least + most) / 2 : Math.min(Math.max(offset, least), most);
  };
  await read();
  let reading = false;
  // A database that does not answer must not collect readings, which would use up the pool.
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
