import type { Machine } from "../lib/machine.ts";
import type { AtOnce, Contended } from "./at-once.ts";
import type { Calls } from "./calls.ts";
import type { Listed } from "./lists.ts";
import type { Paced } from "./paced.ts";

export interface Result {
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
  readonly lists: readonly Listed[];
  readonly paced: Paced;
  readonly atOnce: AtOnce;
  readonly contended: Contended;
  readonly calls: Calls;
}

/** Whatever went wrong; one is enough to fail the run. */
export function faultsIn({ paced, atOnce, contended, calls }: Result): readonly string[] {
  return [paced, atOnce, contended, calls].flatMap(({ faults }) => faults);
}
