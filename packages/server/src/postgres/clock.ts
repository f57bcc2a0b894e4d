import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@paraph/core";
import type { Pool } from "pg";

/**
 * Follows paraph.now(). Waits are decided by that function inside transactions; this copy stamps events and
 * measures, and is set right once a second.
 */
export async function databaseClock(app: Pool): Promise<Clock & { stop(): void }> {
  let base = 0;
  let readAt = 0;
  const read = async () => {
    const before = performance.now();
    const { rows } = await app.query({
      name: "now",
      text: "select extract(epoch from paraph.now()) * 1000 as ms",
    });
    const now = performance.now();
    base = Number(rows[0].ms);
    readAt = (before + now) / 2;
  };
  await read();
  const timer = setInterval(() => void read().catch(() => {}), 1_000);
  timer.unref();
  return {
    now: () => Math.round(base + performance.now() - readAt),
    sleep: (ms) => sleep(ms),
    deadline(ms) {
      const controller = new AbortController();
      const abort = setTimeout(() => controller.abort(), ms);
      return { signal: controller.signal, clear: () => clearTimeout(abort) };
    },
    stop: () => clearInterval(timer),
  };
}
