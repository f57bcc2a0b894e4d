import { isUnavailable } from "./unavailable.ts";

/**
 * Natural group commit: what arrives while batches are under way waits for the next one, and nothing waits for company.
 * One statement then carries many, with one round trip and one flush of the log. At one caller it is a batch of one.
 * A batch holds items of one group only: a group that has to wait for a lock of its own keeps no other waiting.
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

  /** One bad item must not be its neighbours' fault. What broke the connection breaks them all the same. */
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

/** Of one group. */
const maxConcurrentBatches = 2;
const maxBatchSize = 64;

/**
 * The server refused the statement, so nothing of it was committed; anything else may have been. What is wrong with the server
 * is wrong for every item: trying each would multiply the wait.
 */
function isStatementRefused(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === "string" && severity === "ERROR" && !isUnavailable(error);
}
