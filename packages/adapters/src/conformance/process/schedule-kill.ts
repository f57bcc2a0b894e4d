import { extname } from "node:path";
import { Worker } from "node:worker_threads";

/**
 * Prepares to kill this process, and returns a function that starts the timer. A separate thread kills the process. The
 * kill can therefore come at any instruction, as in a real crash, and not only between turns of the event loop.
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
