const windowMs = 60_000;

/**
 * A limit on the messages within any minute. A new owner of a channel starts with the attempts that the record holds, so
 * that the limit also holds when another process takes over.
 */
export class RateWindow {
  readonly #max: number;
  #times: number[];

  constructor(max: number, recent: readonly number[]) {
    this.#max = max;
    this.#times = [...recent].sort((a, b) => a - b);
  }

  /** Counts a message and returns true, or returns false if the minute is full. */
  take(now: number): boolean {
    this.#times = this.#times.filter((at) => at > now - windowMs);
    if (this.#times.length >= this.#max) return false;
    this.#times.push(now);
    return true;
  }
}
