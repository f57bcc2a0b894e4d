import { setTimeout as delay } from "node:timers/promises";
import { takeLastLines } from "./log-file.ts";
import { ServerError } from "./server-error.ts";
import type { RunningServer } from "./supervise.ts";

const readyTimeoutMs = 60_000;
const readyPauseMs = 20;

/**
 * Waits until `answers` returns true. If the server ends or takes too long, stops it and throws an error that quotes
 * its log.
 */
export async function waitUntilReady(
  name: string,
  server: RunningServer,
  answers: () => Promise<boolean>,
  explain: (log: string) => ServerError | undefined,
): Promise<void> {
  let ended = false;
  void server.exited.then(() => {
    ended = true;
  });
  const deadline = performance.now() + readyTimeoutMs;
  while (!ended && performance.now() < deadline) {
    if ((await answers()) && !ended) return;
    await Promise.race([delay(readyPauseMs), server.exited]);
  }
  const what = ended ? "ended while starting" : `did not answer within ${readyTimeoutMs / 1000} s`;
  await server.stop();
  const log = server.readLog();
  throw (
    explain(log) ??
    new ServerError("start-failed", `${name} ${what}. Its log ends with:\n${takeLastLines(log)}`)
  );
}
