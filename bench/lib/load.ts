import { type ChildHandle, startChild } from "./child.ts";

/** One request that is repeated. `{n}` in path and body becomes a text that was never used before. */
export interface LoadTarget {
  readonly origin: string;
  /** POST unless said. */
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What an answer has to be not to count as an error. */
  readonly expect: { readonly status: number; readonly contains?: string };
}

/** Until so many milliseconds have passed after the warm-up, or until so many calls are answered or the time for them is up. */
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
  /** Milliseconds of each call answered while it was measured. */
  readonly latencies: readonly number[];
  /** Calls answered in all, the warm-up and the last under way included. */
  readonly answered: number;
  readonly errors: number;
  readonly firstError?: string;
}

/** A closed loop of callers in a process of its own, so that they and the measured do not share a thread. */
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

  /** `onWindow` is called as the measured time begins and as it ends; where calls are counted there is none. */
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
