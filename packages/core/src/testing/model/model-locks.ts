/** The holders of a tenant's lock keys, and the queue of waiting calls for each key. */
export class ModelLocks {
  readonly #holders = new Map<string, string>();
  readonly #waiters: { readonly key: string; readonly call: string; readonly position: number }[] = [];
  #lastPosition = 0;

  isHolding(call: string, keys: readonly string[]): boolean {
    return keys.every((key) => this.#holders.get(key) === call);
  }

  /** Returns whether no other call holds any of these keys and no earlier call waits for any of them. */
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

  /** Gives the call one queue position for all its keys. Returns undefined if the call already has one. */
  enqueue(call: string, keys: readonly string[]): number | undefined {
    if (this.#positionOf(call) !== undefined) return undefined;
    this.#lastPosition += 1;
    for (const key of keys) this.#waiters.push({ key, call, position: this.#lastPosition });
    return this.#lastPosition;
  }

  /**
   * Releases the keys of the call and removes it from the queues. Returns the first waiter of every free key that this
   * call held or waited for, and the keys whose queues it heads.
   */
  release(call: string): ReadonlyMap<string, readonly string[]> {
    const held = [...this.#holders].filter(([, holder]) => holder === call).map(([key]) => key);
    const awaited = this.#waiters.filter((waiter) => waiter.call === call).map(({ key }) => key);
    for (const key of held) this.#holders.delete(key);
    this.#leaveQueue(call);
    const free = [...held, ...awaited].filter((key) => !this.#holders.has(key)).sort();
    const heads = Map.groupBy(free, (key) => this.#firstWaiter(key) ?? "");
    heads.delete("");
    return heads;
  }

  /** Returns every key with its holder, for tests. */
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
