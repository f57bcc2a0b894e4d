import type { Violation } from "./history/checker.ts";

/** What every experiment is told. */
export interface LabOptions {
  readonly seed: number;
  readonly quick: boolean;
  readonly repeats?: number;
  readonly kills?: number;
  readonly calls?: number;
  readonly file?: string;
  /** Only boundaries whose name contains this. */
  readonly at?: string;
  /** Only the crash points with these names. */
  readonly points?: readonly string[];
  /** Of a search: no new run starts after so many minutes. */
  readonly minutes?: number;
  /** Where histories and results are kept; nowhere unless given. */
  readonly out?: string;
  readonly progress: (text: string) => void;
}

/** What every experiment returns. */
export interface LabResult {
  readonly run: string;
  readonly seed: number;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly violations: readonly Violation[];
  /** Short statements of the coverage, which the run counts from its own history. docs/proof.md prints them. */
  readonly covers: readonly string[];
  /** Timelines of the first calls that broke a rule. */
  readonly timelines: Readonly<Record<string, readonly string[]>>;
  readonly history?: string;
  /** Of a crash sweep: the points there are, and those that were struck, by name. */
  readonly points?: { readonly known: readonly string[]; readonly struck: readonly string[] };
}

export type Experiment = (options: LabOptions) => Promise<LabResult>;
