/**
 * Runs the attempts of one call one after the other. If a worker dies, another worker repeats the attempt or probes for
 * the effect, although the first attempt may still be running. The new attempt or probe must wait, because the outside
 * system shows the final state only after the first attempt ends.
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
