/**
 * Attempts of one call run one after the other. Who asked may have died, and another of its kind asks again, or asks whether
 * it happened, while the first attempt is still at it: the truth is only there once that has ended.
 */
export class CallQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(call: string, signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    const before = this.#last.get(call);
    const mine = this.#after(before, signal, body);
    this.#last.set(call, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(call) === mine) this.#last.delete(call);
    }
  }

  async #after<T>(
    before: Promise<unknown> | undefined,
    signal: AbortSignal,
    body: () => Promise<T>,
  ): Promise<T> {
    await before?.catch(() => {});
    // Whoever waited for so long is not waited for any more.
    signal.throwIfAborted();
    return body();
  }
}
