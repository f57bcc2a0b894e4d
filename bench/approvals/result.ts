import type { Machine } from "../lib/machine.ts";
import type { CallComparison } from "./compare-calls.ts";
import type { ConcurrentResult, ContentionResult } from "./concurrent-decisions.ts";
import type { ListTiming } from "./lists.ts";
import type { PacedResult } from "./paced-decisions.ts";

export interface ApprovalsBenchResult {
  readonly name: "approvals";
  readonly at: string;
  readonly quick: boolean;
  readonly seconds: number;
  readonly commit: string;
  /** Short statements of the measurements in this run. docs/proof.md prints them. */
  readonly covers: readonly string[];
  readonly machine: Machine & { readonly postgres: string };
  /** Cores that others on the machine took, over the whole run: above all, whether to believe it. */
  readonly othersCores: number;
  /** What waits, by PostgreSQL's rows and by the engine's messages, before anything is decided. */
  readonly waiting: { readonly rounds: number; readonly messages: number };
  readonly lists: readonly ListTiming[];
  readonly paced: PacedResult;
  readonly atOnce: ConcurrentResult;
  readonly contended: ContentionResult;
  readonly calls: CallComparison;
}

/** Whatever went wrong; one is enough to fail the run. */
export function listFaults({ paced, atOnce, contended, calls }: ApprovalsBenchResult): readonly string[] {
  return [paced, atOnce, contended, calls].flatMap(({ faults }) => faults);
}
