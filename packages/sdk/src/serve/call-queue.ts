/**
 * Runs the attempts of one call one after the other. A worker may die, and another one repeats the attempt or probes
 * for the effect while the first attempt still runs. Only after the first attempt ends does the outside system show the
 * final state.
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
    // The caller's deadline may have passed while the attempt was queued.
    signal.throwIfAborted();
    return body();
  }
}
