import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { createCrashedError, createStoppedError } from "../check-error.ts";
import type { ThreadAnswer, ThreadJob } from "./job.ts";

/**
 * Threads for work whose length the input decides: the process goes on answering meanwhile, and a deadline can end
 * it, which nothing can do to a regular expression or a parser on our own thread. Kept for the next job when idle.
 */
export class ThreadPool {
  readonly #idle: Worker[] = [];

  /** How many run at once is for the caller's turns to limit. */
  async run<K extends ThreadJob["kind"]>(
    job: Extract<ThreadJob, { kind: K }>,
    signal: AbortSignal,
  ): Promise<Extract<ThreadAnswer, { kind: K }>> {
    if (signal.aborted) throw createStoppedError();
    const thread = this.#idle.pop() ?? startThread();
    thread.ref();
    try {
      const answer = await postJob(thread, job, signal);
      this.#keep(thread, answer);
      if (answer.kind !== job.kind) throw createCrashedError();
      return answer as Extract<ThreadAnswer, { kind: K }>;
    } catch (error) {
      if (!this.#idle.includes(thread)) await thread.terminate();
      throw error;
    }
  }

  #keep(thread: Worker, answer: ThreadAnswer): void {
    if (answer.kind === "failed" || (answer.kind === "syntax" && answer.spoilt)) {
      void thread.terminate();
      return;
    }
    thread.unref();
    this.#idle.push(thread);
  }
}

/**
 * Its own bounds in memory and stack, no environment, and nowhere to print: a library's words could quote the input.
 * Its output is not even read, because a stream that is being read would keep the process alive.
 */
function startThread(): Worker {
  const entry = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);
  return new Worker(entry, {
    name: "paraph-check",
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 8 },
  });
}

function postJob(thread: Worker, job: ThreadJob, signal: AbortSignal): Promise<ThreadAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
  const stop = () => reject(createStoppedError());
  const crash = () => reject(createCrashedError());
  const listening = new AbortController();
  thread.once("message", resolve);
  thread.once("error", crash);
  thread.once("exit", crash);
  signal.addEventListener("abort", stop, { once: true, signal: listening.signal });
  thread.postMessage(job);
  return promise.finally(() => {
    listening.abort();
    thread.off("message", resolve);
    thread.off("error", crash);
    thread.off("exit", crash);
  });
}
