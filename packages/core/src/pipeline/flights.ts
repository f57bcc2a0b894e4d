/** What is under way at once: how many at most, and when nothing is. */
export class Flights {
  readonly #most: number;
  readonly #whenBusy: (() => void)[] = [];
  readonly #whenQuiet: (() => void)[] = [];
  readonly #queue: (() => void)[] = [];
  #inFlight = 0;
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isQuiet(): boolean {
    return this.#inFlight === 0;
  }

  /** Counts as under way from now on, also while it waits for its turn. */
  async fly<T>(body: () => Promise<T>): Promise<T> {
    this.#inFlight += 1;
    for (const resolve of this.#whenBusy.splice(0)) resolve();
    try {
      return await this.#inTurn(body);
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    }
  }

  async busy(): Promise<void> {
    if (this.isQuiet) await new Promise<void>((resolve) => this.#whenBusy.push(resolve));
  }

  async quiet(): Promise<void> {
    if (!this.isQuiet) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
  }

  async #inTurn<T>(body: () => Promise<T>): Promise<T> {
    while (this.#running >= this.#most) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#running += 1;
    try {
      return await body();
    } finally {
      this.#running -= 1;
      this.#queue.shift()?.();
    }
  }
}
