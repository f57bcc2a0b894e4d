import type { CallRef, Engine, Wake } from "@paraph/core";

/** The engine of a Paraph process. Every process sends messages through it, and workers run its segments. */
export interface ProcessEngine extends Engine {
  /** Starts to run segments in this process. */
  serve(runSegment: (ref: CallRef) => Promise<readonly Wake[]>): Promise<SegmentServer>;
  /** The checks of `/readyz` by name. Each rejects if a part of the engine does not work. */
  readonly checks: Readonly<Record<string, (signal: AbortSignal) => Promise<void>>>;
  close(): Promise<void>;
}

/** The part of a worker that runs segments. */
export interface SegmentServer {
  /** Stops accepting segments, so that other workers run them. Running segments continue. */
  retire(): void;
  /** Returns the number of due calls that this process can take over from the rows. */
  room(): number;
  /** Tells the other processes that this one runs no further segments, so that they do not wait for its drain. */
  leave(): Promise<void>;
  /** Stops after the drain. */
  stop(): Promise<void>;
}
