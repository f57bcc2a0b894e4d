import { type ChildHandle, startChild } from "../lib/child.ts";

/** Sends calls one after another until it is told to stop. */
export interface SteadyOrder {
  readonly kind: "steady";
  readonly url: string;
  readonly key: string;
}

export interface SteadyResult {
  /** The start and the end of each request, in milliseconds since 1970. */
  readonly samples: readonly { readonly from: number; readonly to: number }[];
  readonly errors: readonly string[];
}

/** Sends all requests at once, each on its own connection. The keys take turns. */
export interface BurstOrder {
  readonly kind: "burst";
  readonly url: string;
  readonly keys: readonly string[];
  readonly requests: number;
}

export interface BurstResult {
  readonly from: number;
  readonly to: number;
  readonly answers: readonly BurstAnswer[];
}

export interface BurstAnswer {
  /** The HTTP status, or 0 without a response. */
  readonly status: number;
  /** The seconds of `Retry-After`, or 0 without the header. */
  readonly retryAfter: number;
  readonly call: string | undefined;
  /** The start of the body, if the request was not accepted. */
  readonly text: string;
}

/** The callers of one tenant in their own process, so that they share no thread with the others. */
export class Callers {
  readonly #child: ChildHandle;

  private constructor(child: ChildHandle) {
    this.#child = child;
  }

  static async start(): Promise<Callers> {
    return new Callers(await startChild(new URL("./caller-process.ts", import.meta.url)));
  }

  /** Starts to send calls. The returned function stops and resolves with the result. */
  sendSteadily(order: Omit<SteadyOrder, "kind">): () => Promise<SteadyResult> {
    const result = this.#send<SteadyResult>({ kind: "steady", ...order });
    result.catch(() => {});
    return () => {
      this.#child.send({ kind: "stop" });
      return result;
    };
  }

  sendBurst(order: Omit<BurstOrder, "kind">): Promise<BurstResult> {
    return this.#send({ kind: "burst", ...order });
  }

  async #send<T>(order: object): Promise<T> {
    const done = this.#child.waitForMessage<{ kind: "done"; result: T }>("done");
    this.#child.send(order);
    return (await done).result;
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }
}
