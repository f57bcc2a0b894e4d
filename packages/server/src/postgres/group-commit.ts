import { isUnavailable } from "./unavailable.ts";

/**
 * Natural group commit: what arrives while batches are under way waits for the next one, and nothing waits for company.
 * One statement then carries many, with one round trip and one flush of the log. At one caller it is a batch of one.
 */
export class GroupCommit<T, R> {
  readonly #run: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #waiting: Waiting<T, R>[] = [];
  #underWay = 0;

  constructor(run: (items: readonly T[]) => Promise<readonly R[]>) {
    this.#run = run;
  }

  submit(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#underWay < mostUnderWay) void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    this.#underWay += 1;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, largest);
      try {
        const results = await this.#run(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
      } catch (error) {
        await this.#oneByOne(batch, error);
      }
    }
    this.#underWay -= 1;
  }

  /** One bad item must not be its neighbours' fault. What broke the connection breaks them all the same. */
  async #oneByOne(batch: readonly Waiting<T, R>[], error: unknown): Promise<void> {
    if (batch.length === 1 || !isRefusal(error)) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const { item, resolve, reject } of batch)
      await this.#run([item]).then(([result]) => resolve(result as R), reject);
  }
}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

const mostUnderWay = 2;
const largest = 64;

/**
 * The server refused the statement, so nothing of it was committed; anything else may have been. What is wrong with the server
 * is wrong for every item: trying each would multiply the wait.
 */
function isRefusal(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === "string" && severity === "ERROR" && !isUnavailable(error);
}
