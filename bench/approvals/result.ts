import type { LabEngine } from "../../lab/lab.ts";
import type { WaitingCount } from "../lib/count-waiting.ts";
import type { Machine } from "../lib/machine.ts";
import type { CallComparison } from "./compare-calls.ts";
import type { ConcurrentResult, ContentionResult } from "./concurrent-decisions.ts";
import type { ListTiming } from "./lists.ts";
import type { PacedResult } from "./paced-decisions.ts";

export interface ApprovalsBenchResult {
  readonly name: "approvals";
  readonly engine: LabEngine;
  readonly at: string;
  readonly quick: boolean;
  readonly seconds: number;
  readonly commit: string;
  /** Short statements of the measurements in this run. docs/proof.md prints them. */
  readonly covers: readonly string[];
  readonly machine: Machine & { readonly postgres: string };
  /** The number of cores that other processes used during the run. A high number makes the result unreliable. */
  readonly othersCores: number;
  /** The number of waiting approvals before any decision. */
  readonly waiting: WaitingCount;
  readonly lists: readonly ListTiming[];
  readonly paced: PacedResult;
  readonly atOnce: ConcurrentResult;
  readonly contended: ContentionResult;
  readonly calls: CallComparison;
}

/** Returns everything that went wrong. One fault fails the run. */
export function listFaults({ paced, atOnce, contended, calls }: ApprovalsBenchResult): readonly string[] {
  return [paced, atOnce, contended, calls].flatMap(({ faults }) => faults);
}
