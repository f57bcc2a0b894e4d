import { isRolledBack, isUnavailable } from "./unavailable.ts";

/**
 * Combines concurrent writes into batches. Items that arrive while batches run wait for the next batch, but a batch
 * never waits for more items. One statement carries the whole batch, with one round trip and one flush of the log. If
 * there is only one caller, each batch holds one item. A batch holds items of one group only, so a group that waits for
 * its own lock does not delay other groups.
 */
export class GroupCommit<T, R> {
  readonly #run: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #groupOf: (item: T) => string;
  readonly #groups = new Map<string, CommitGroup<T, R>>();

  constructor(run: (items: readonly T[]) => Promise<readonly R[]>, groupOf: (item: T) => string) {
    this.#run = run;
    this.#groupOf = groupOf;
  }

  submit(item: T): Promise<R> {
    const name = this.#groupOf(item);
    const group = this.#groups.get(name) ?? { waiting: [], underWay: 0 };
    this.#groups.set(name, group);
    return new Promise((resolve, reject) => {
      group.waiting.push({ item, resolve, reject });
      if (group.underWay < maxConcurrentBatches) void this.#flush(name, group);
    });
  }

  async #flush(name: string, group: CommitGroup<T, R>): Promise<void> {
    group.underWay += 1;
    while (group.waiting.length > 0) {
      const batch = group.waiting.splice(0, maxBatchSize);
      try {
        const results = await this.#run(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
      } catch (error) {
        await this.#oneByOne(batch, error);
      }
    }
    group.underWay -= 1;
    if (group.underWay === 0) this.#groups.delete(name);
  }

  /**
   * Runs each item of a rejected batch alone, so that an invalid item does not fail the other items. If the batch
   * failed for another reason, such as a broken connection, all items fail.
   */
  async #oneByOne(batch: readonly PendingItem<T, R>[], error: unknown): Promise<void> {
    if (batch.length === 1 || !isStatementRefused(error)) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const { item, resolve, reject } of batch)
      await this.#run([item]).then(([result]) => resolve(result as R), reject);
  }
}

interface CommitGroup<T, R> {
  readonly waiting: PendingItem<T, R>[];
  underWay: number;
}

interface PendingItem<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** The maximum number of concurrent batches of each group. */
const maxConcurrentBatches = 2;
const maxBatchSize = 64;

/**
 * Whether PostgreSQL rejected the statement and therefore committed nothing. An unavailable server does not count,
 * because it affects every item. Retrying each item would only multiply the wait.
 */
function isStatementRefused(error: unknown): boolean {
  return isRolledBack(error) && !isUnavailable(error);
}
