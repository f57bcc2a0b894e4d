import { extname } from "node:path";
import { Worker } from "node:worker_threads";

/**
 * Gets ready to kill this process, and returns what starts the clock. A thread of its own does it: it strikes in the
 * middle of whatever this one is at, as a real crash does, and not only where the event loop turns.
 */
export async function scheduleKill(afterMs: number): Promise<() => void> {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const reaper = new Worker(new URL(`./kill-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: { gate, afterMs },
  });
  await new Promise((resolve, reject) => reaper.once("message", resolve).once("error", reject));
  return () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
}
