import { createStoppedError } from "./check-error.ts";

/**
 * Runs at most a given number of tasks concurrently. Other tasks wait in order of arrival, each up to its own deadline.
 */
export class ConcurrencyQueue {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#free = max;
  }

  async run<T>(signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    await this.#turn(signal);
    try {
      return await body();
    } finally {
      this.#pass();
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(createStoppedError());
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const go = () => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = () => {
      this.#waiting.splice(this.#waiting.indexOf(go), 1);
      reject(createStoppedError());
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting.push(go);
    return promise;
  }

  /** Passes the turn directly to the task that has waited longest, so that no later task can overtake it. */
  #pass(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
