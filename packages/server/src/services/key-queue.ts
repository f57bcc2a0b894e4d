/**
 * A queue that runs the tasks of one key one after another. Tasks of different keys run concurrently. Each owner has at
 * most one task in the queue of a key. The owner's other tasks wait behind it, so that no owner can fill a queue.
 */
export class KeyQueue {
  readonly #owners = new Map<string, Promise<unknown>>();
  readonly #keys = new Map<string, Promise<unknown>>();

  run<T>(key: string, owner: string, task: () => Promise<T>): Promise<T> {
    return runAfterLast(this.#owners, JSON.stringify([key, owner]), () =>
      runAfterLast(this.#keys, key, task),
    );
  }
}

async function runAfterLast<T>(
  tails: Map<string, Promise<unknown>>,
  key: string,
  task: () => Promise<T>,
): Promise<T> {
  const result = (tails.get(key) ?? Promise.resolve()).then(task);
  const tail = result.catch(() => undefined);
  tails.set(key, tail);
  try {
    return await result;
  } finally {
    if (tails.get(key) === tail) tails.delete(key);
  }
}
