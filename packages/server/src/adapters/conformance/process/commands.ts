import type {
  Contract,
  Fault,
  Health,
  Json,
  ObservationPage,
  Preview,
  Probe,
  Progress,
  Undo,
} from "@paraph/core";
import type { Fixture } from "../conformance-test.ts";

/** What a performer is asked: a process of its own that holds the adapter and can be killed. */
export type AdapterCommand =
  | { readonly kind: "open"; readonly trial: string; readonly ground: Fixture; readonly cache: string }
  | ({ readonly kind: "preview" | "apply" | "probe" } & CaseAttempt)
  /** Applies, and is dead that long after it began; without a time, once it has told how it ended. */
  | ({ readonly kind: "die"; readonly afterMs?: number } & CaseAttempt)
  | { readonly kind: "undo"; readonly capability: string; readonly input: Json; readonly output: Json }
  /** One of a case's large inputs, which stay where they are: what is measured is the adapter, not the message. */
  | { readonly kind: "large"; readonly case: number; readonly large: number; readonly call: string }
  | { readonly kind: "health" }
  | { readonly kind: "perceive"; readonly cursor?: string }
  | { readonly kind: "close" };

/** One attempt at a call, as the pipeline would make it. */
export interface CaseAttempt {
  readonly capability: string;
  readonly input: Json;
  readonly call: string;
  readonly attempt: number;
  readonly basis?: Json;
  /** The contract's unless said. */
  readonly deadlineMs?: number;
}

/** How an order ended inside the performer. */
export type CommandResult<V = unknown> =
  | {
      readonly kind: "done";
      readonly value: V;
      /** Where it is not what the contract promises. */
      readonly unfit?: readonly string[];
      readonly said: readonly Progress[];
      readonly ms: number;
    }
  | {
      readonly kind: "fault";
      readonly fault: Fault;
      /** As it was thrown, before anything made it safe. */
      readonly code: string;
      /** It was the adapter's own word, not whatever happened to be thrown. */
      readonly own: boolean;
      readonly said: readonly Progress[];
      readonly ms: number;
    };

/** How it ended, seen from outside: a performer can also die, or say nothing any more. */
export type ProcessAnswer<V = unknown> =
  | CommandResult<V>
  | { readonly kind: "died" }
  | { readonly kind: "silent" };

/** What each order comes to. */
export interface CommandValues {
  readonly open: OpenedAdapter;
  readonly preview: Preview;
  readonly apply: Json;
  readonly probe: Probe;
  readonly die: Json;
  readonly undo: Undo | null;
  readonly large: LargeInputResult;
  readonly health: Health;
  readonly perceive: ObservationPage;
  readonly close: CloseResult;
}

/** An adapter that was opened, as data. */
export interface OpenedAdapter {
  readonly offers: readonly OfferedCapability[];
  readonly perceives: boolean;
}

export interface OfferedCapability {
  readonly contract: Contract;
  readonly digest: string;
  readonly canUndo: boolean;
}

/** What a large input led to, and what that took. */
export interface LargeInputResult {
  readonly result: "output" | "fault" | "refused";
  /** How much more memory the process had at most, and for how long it was at it. */
  readonly grownBytes: number;
  readonly ms: number;
}

export interface CloseResult {
  /** What still keeps the process from ending, by Node's names. */
  readonly heldResources: readonly string[];
}
