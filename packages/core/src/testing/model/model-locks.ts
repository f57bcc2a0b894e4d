/** Who holds which key of a tenant, and who waits for it in which order. */
export class ModelLocks {
  readonly #holders = new Map<string, string>();
  readonly #waiters: { readonly key: string; readonly call: string; readonly position: number }[] = [];
  #lastPosition = 0;

  isHolding(call: string, keys: readonly string[]): boolean {
    return keys.every((key) => this.#holders.get(key) === call);
  }

  /** Free for this call: nobody else holds a key, and nobody who came earlier waits for one. */
  canTake(call: string, keys: readonly string[]): boolean {
    const mine = this.#positionOf(call) ?? Number.POSITIVE_INFINITY;
    const held = keys.some((key) => (this.#holders.get(key) ?? call) !== call);
    const awaited = this.#waiters.some(
      (waiter) => waiter.call !== call && keys.includes(waiter.key) && waiter.position < mine,
    );
    return !held && !awaited;
  }

  take(call: string, keys: readonly string[]): void {
    this.#leaveQueue(call);
    for (const key of keys) this.#holders.set(key, call);
  }

  /** One position for all keys, kept once given; undefined where the call has one already. */
  enqueue(call: string, keys: readonly string[]): number | undefined {
    if (this.#positionOf(call) !== undefined) return undefined;
    this.#lastPosition += 1;
    for (const key of keys) this.#waiters.push({ key, call, position: this.#lastPosition });
    return this.#lastPosition;
  }

  /**
   * Frees what the call holds and leaves the queues. Returns who may be able to go on: the first waiter of
   * every key that is free now and that this call held or stood in line for.
   */
  release(call: string): string[] {
    const held = [...this.#holders].filter(([, holder]) => holder === call).map(([key]) => key);
    const awaited = this.#waiters.filter((waiter) => waiter.call === call).map(({ key }) => key);
    for (const key of held) this.#holders.delete(key);
    this.#leaveQueue(call);
    const free = [...held, ...awaited].filter((key) => !this.#holders.has(key)).sort();
    return [...new Set(free.map((key) => this.#firstWaiter(key)).filter((waiter) => waiter !== undefined))];
  }

  /** Every key with its holder, every waiter with its key: for tests. */
  listHeld(): readonly { readonly key: string; readonly call: string }[] {
    return [...this.#holders].map(([key, call]) => ({ key, call }));
  }

  listQueued(): readonly { readonly key: string; readonly call: string; readonly position: number }[] {
    return [...this.#waiters];
  }

  #firstWaiter(key: string): string | undefined {
    return this.#waiters
      .filter((waiter) => waiter.key === key)
      .reduce<{ call?: string; position: number }>((a, b) => (b.position < a.position ? b : a), {
        position: Number.POSITIVE_INFINITY,
      }).call;
  }

  #positionOf(call: string): number | undefined {
    return this.#waiters.find((waiter) => waiter.call === call)?.position;
  }

  #leaveQueue(call: string): void {
    for (let i = this.#waiters.length - 1; i >= 0; i -= 1)
      if (this.#waiters[i]?.call === call) this.#waiters.splice(i, 1);
  }
}
