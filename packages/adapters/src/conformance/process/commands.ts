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

/** A command to an adapter process. The process holds the adapter and can be killed. */
export type AdapterCommand =
  | { readonly kind: "open"; readonly test: string; readonly fixture: Fixture; readonly cache: string }
  | ({ readonly kind: "preview" | "apply" | "probe" } & CaseAttempt)
  /**
   * Applies the attempt and kills the process after `afterMs`. If `afterMs` is unset, the process is killed after it
   * has reported the result.
   */
  | ({ readonly kind: "die"; readonly afterMs?: number } & CaseAttempt)
  | { readonly kind: "undo"; readonly capability: string; readonly input: Json; readonly output: Json }
  /**
   * Applies one of the case's large inputs. The command contains only the index of the input, so that the measurement
   * excludes the size of the message.
   */
  | { readonly kind: "large"; readonly case: number; readonly large: number; readonly call: string }
  | { readonly kind: "health" }
  | { readonly kind: "observe"; readonly cursor?: string }
  | { readonly kind: "close" };

/** One attempt of a call, as the pipeline would make it. */
export interface CaseAttempt {
  readonly capability: string;
  readonly input: Json;
  readonly call: string;
  readonly attempt: number;
  readonly basis?: Json;
  /** The deadline (default: the contract's timeout). */
  readonly deadlineMs?: number;
}

/** The result of a command, as the adapter process reports it. */
export type CommandResult<V = unknown> =
  | {
      readonly kind: "done";
      readonly value: V;
      /** The differences between the value and the contract's schema. */
      readonly unfit?: readonly string[];
      readonly said: readonly Progress[];
      readonly ms: number;
    }
  | {
      readonly kind: "fault";
      readonly fault: Fault;
      /** The code that the adapter threw, before Paraph normalized it. */
      readonly code: string;
      /** Whether the adapter threw a classified fault deliberately. False for any other error. */
      readonly own: boolean;
      readonly said: readonly Progress[];
      readonly ms: number;
    };

/** The result of a command as the suite sees it. The process may also die or stop answering. */
export type ProcessAnswer<V = unknown> =
  | CommandResult<V>
  | { readonly kind: "died" }
  | { readonly kind: "silent" };

/** The result type of each command. */
export interface CommandValues {
  readonly open: OpenedAdapter;
  readonly preview: Preview;
  readonly apply: Json;
  readonly probe: Probe;
  readonly die: Json;
  readonly undo: Undo | null;
  readonly large: LargeInputResult;
  readonly health: Health;
  readonly observe: ObservationPage;
  readonly close: CloseResult;
}

/** The contracts of an open adapter, as data. */
export interface OpenedAdapter {
  readonly offers: readonly OfferedCapability[];
  readonly canObserve: boolean;
}

export interface OfferedCapability {
  readonly contract: Contract;
  readonly digest: string;
  readonly canUndo: boolean;
}

/** The result of a large input, with the memory and the time that it needed. */
export interface LargeInputResult {
  readonly result: "output" | "fault" | "refused";
  /** The growth of the process's maximum memory during the call. */
  readonly grownBytes: number;
  readonly ms: number;
}

export interface CloseResult {
  /** The resources that still keep the process alive, by Node's names. */
  readonly heldResources: readonly string[];
}
