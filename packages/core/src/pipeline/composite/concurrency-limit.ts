/** Limits how many tasks run at the same time, and reports when no task is left. */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #whenBusy: (() => void)[] = [];
  readonly #whenQuiet: (() => void)[] = [];
  readonly #queue: (() => void)[] = [];
  #inFlight = 0;
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get isIdle(): boolean {
    return this.#inFlight === 0;
  }

  /**
   * Runs a task once a place is free. The task counts as in flight as soon as this method is called, even while the
   * task waits.
   */
  async run<T>(body: () => Promise<T>): Promise<T> {
    this.#inFlight += 1;
    for (const resolve of this.#whenBusy.splice(0)) resolve();
    try {
      return await this.#inTurn(body);
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    }
  }

  async whenBusy(): Promise<void> {
    if (this.isIdle) await new Promise<void>((resolve) => this.#whenBusy.push(resolve));
  }

  async whenIdle(): Promise<void> {
    if (!this.isIdle) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
  }

  async #inTurn<T>(body: () => Promise<T>): Promise<T> {
    while (this.#running >= this.#max) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#running += 1;
    try {
      return await body();
    } finally {
      this.#running -= 1;
      this.#queue.shift()?.();
    }
  }
}
