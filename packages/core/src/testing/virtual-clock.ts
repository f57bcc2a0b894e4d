import type { Clock } from "../ports.ts";

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/** A clock whose time passes only when a test advances it. */
export class VirtualClock implements Clock {
  #now = 1_767_225_600_000;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.schedule(this.#now + ms, resolve);
    });
  }

  deadline(ms: number): { signal: AbortSignal; clear(): void } {
    const controller = new AbortController();
    return { signal: controller.signal, clear: this.schedule(this.#now + ms, () => controller.abort()) };
  }

  /** Schedules `fire` at a time and returns a function that cancels it. */
  schedule(at: number, fire: () => void): () => void {
    const timer = { at, fire };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Returns the time of the next timer, or undefined. */
  nextTimerAt(): number | undefined {
    return this.#first()?.at;
  }

  /** Advances the time. After each timer, `settle` lets the code that the timer woke run as far as it can. */
  async advance(ms: number, settle: () => Promise<void> = async () => {}): Promise<void> {
    const until = this.#now + ms;
    for (let timer = this.#first(); timer && timer.at <= until; timer = this.#first()) {
      this.#now = Math.max(this.#now, timer.at);
      this.#timers.delete(timer);
      timer.fire();
      await settle();
    }
    this.#now = until;
  }

  #first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (!first || timer.at < first.at) first = timer;
    return first;
  }
}
