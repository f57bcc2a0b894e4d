import { type ChildHandle, startChild } from "./child.ts";

/** One request to repeat. `{n}` in path and body becomes a unique text. */
export interface LoadTarget {
  readonly origin: string;
  /** The default is POST. */
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The response that does not count as an error. */
  readonly expect: { readonly status: number; readonly contains?: string };
}

/**
 * The condition that ends a load: a number of milliseconds after the warm-up, or a number of calls within a time limit.
 */
export type LoadUntil =
  | { readonly warmMs: number; readonly measureMs: number }
  | { readonly calls: number; readonly withinMs: number };

export interface LoadOrder {
  readonly kind: "load";
  readonly target: LoadTarget;
  readonly connections: number;
  readonly until: LoadUntil;
}

export interface LoadResult {
  readonly seconds: number;
  /** The milliseconds of each call that was answered in the measured time. */
  readonly latencies: readonly number[];
  /** All answered calls, including the warm-up and the last calls in progress. */
  readonly answered: number;
  readonly errors: number;
  readonly firstError?: string;
}

/** A closed loop of callers in its own process, so that they share no thread with the measured code. */
export class LoadGenerator {
  readonly #child: ChildHandle;

  private constructor(child: ChildHandle) {
    this.#child = child;
  }

  static async start(): Promise<LoadGenerator> {
    return new LoadGenerator(await startChild(new URL("./load-process.ts", import.meta.url)));
  }

  get pid(): number {
    return this.#child.pid;
  }

  /**
   * Runs the load. `onWindow` is called at the start and the end of the measured time. A load with a number of calls
   * has no measured time.
   */
  async run(order: Omit<LoadOrder, "kind">, onWindow?: () => void): Promise<LoadResult> {
    const done = this.#child.waitForMessage<{ kind: "done"; loaded: LoadResult }>("done");
    if (onWindow && "measureMs" in order.until) {
      for (const edge of ["begins", "ends"]) this.#child.waitForMessage(edge).then(onWindow, () => {});
    }
    this.#child.send({ kind: "load", ...order } satisfies LoadOrder);
    return (await done).loaded;
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }
}
