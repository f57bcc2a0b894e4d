import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { createCrashedError, createStoppedError } from "../check-error.ts";
import type { ThreadAnswer, ThreadJob } from "./job.ts";

/**
 * A pool of threads for work whose duration depends on the input. The threads keep the process responsive. A deadline
 * can stop a thread, but it cannot stop a regular expression or a parser on the main thread. The pool keeps idle
 * threads for the next job.
 */
export class ThreadPool {
  readonly #idle: Worker[] = [];

  /** Runs a job. The caller's queue limits the concurrency. */
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
 * Starts a thread with its own memory and stack limits and an empty environment. Node does not print the thread's
 * output, because a library could print the input. The process does not read the output either, because reading a
 * stream would keep the process alive.
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
