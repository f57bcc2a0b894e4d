import type { BenchTarget } from "../bench/lib/target.ts";
import type { Violation } from "./history/checker.ts";

/** The engines that an experiment can run on. */
export const labEngines = ["postgres", "restate"] as const;
export type LabEngine = (typeof labEngines)[number];

export interface LabOptions {
  readonly seed: number;
  readonly engine: LabEngine;
  readonly quick: boolean;
  readonly repeats?: number;
  readonly kills?: number;
  readonly calls?: number;
  readonly file?: string;
  /** Selects the boundaries or mutations whose name contains this text. */
  readonly at?: string;
  /** Selects the crash points with these names. */
  readonly points?: readonly string[];
  /** For a search or a comparison: the number of minutes after which no new run starts. */
  readonly minutes?: number;
  /** For an upgrade: the commit of the previous version. */
  readonly from?: string;
  /** The folder for histories and results. Without it, they are not kept. */
  readonly out?: string;
  readonly progress: (text: string) => void;
}

export interface LabResult {
  readonly run: string;
  readonly seed: number;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly violations: readonly Violation[];
  /** The speeds that the run should reach. A missed one is no violation, because it also depends on the machine. */
  readonly targets?: readonly BenchTarget[];
  /** Short statements of the coverage. The run counts them from its own history, and docs/proof.md prints them. */
  readonly covers: readonly string[];
  /** The timelines of the first calls that broke a rule. */
  readonly timelines: Readonly<Record<string, readonly string[]>>;
  /** The files of the saved histories. */
  readonly histories?: readonly string[];
  /** For a crash sweep: the names of all known points, and of those that were tried. */
  readonly points?: { readonly known: readonly string[]; readonly reached: readonly string[] };
}

export type Experiment = (options: LabOptions) => Promise<LabResult>;

/** The error of an experiment that cannot run on this machine. The message says why and what to do. */
export class UnmetRequirement extends Error {
  override readonly name = "UnmetRequirement";
}
