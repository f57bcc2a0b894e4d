import type { LabEngine } from "../../lab/lab.ts";
import type { WaitingCount } from "../lib/count-waiting.ts";
import type { Machine } from "../lib/machine.ts";
import { computeLatency, computeMedian, computeSpread, type Latency, type Spread } from "../lib/stats.ts";
import { type CpuTimes, type MeasuredSlice, measuredParts } from "./slice.ts";
import type { Variant } from "./variants.ts";

/** The figures of one variant under one load, over all rounds. */
export interface VariantFigure {
  readonly rounds: number;
  readonly callsPerSecond: Spread;
  /** The latency over the calls of all rounds. */
  readonly latency: Latency;
  /** The spread of the rounds' medians. */
  readonly p50: Spread;
  readonly cpuMs: CpuTimes;
  readonly bytes: { readonly wal: number; readonly restate: number };
  readonly othersCores: number;
}

export type ConnectionFigures = Readonly<Record<string, VariantFigure>>;

export interface WaitingComparison {
  readonly approvals: number;
  /** The waiting approvals that PostgreSQL and the engine report after the benchmark created them. */
  readonly found: WaitingCount;
  readonly askedPerSecond: number;
  readonly none: { readonly single: VariantFigure; readonly many: VariantFigure };
  readonly some: { readonly single: VariantFigure; readonly many: VariantFigure };
  /**
   * The ratio of throughput with waiting approvals to throughput without them, in each round. Both are measured within
   * seconds of each other.
   */
  readonly ratio: Spread;
}

export interface CallBenchResult {
  readonly name: "call";
  readonly engine: LabEngine;
  readonly at: string;
  readonly quick: boolean;
  /** The process that performs the governed write. */
  readonly performed: "where it arrives" | "by the worker";
  readonly seconds: number;
  readonly commit: string;
  /** Short statements of the measurements in this run. docs/proof.md prints them. */
  readonly covers: readonly string[];
  readonly machine: Machine & { readonly postgres: string };
  readonly policies: number;
  /** The figures by variant, then by number of connections. The bare engine is present only with Restate. */
  readonly figures: Readonly<Record<Exclude<Variant, "bare">, ConnectionFigures>> & {
    readonly bare?: ConnectionFigures;
  };
  readonly direct: Latency;
  readonly waiting: readonly WaitingComparison[];
  readonly errors: readonly string[];
}

export function toFigure(slices: readonly MeasuredSlice[]): VariantFigure {
  const median = (pick: (slice: MeasuredSlice) => number) => computeMedian(slices.map(pick));
  return {
    rounds: slices.length,
    callsPerSecond: computeSpread(slices.map((slice) => slice.callsPerSecond)),
    latency: computeLatency(slices.flatMap((slice) => slice.latencies)),
    p50: computeSpread(slices.map((slice) => computeLatency(slice.latencies).p50)),
    cpuMs: Object.fromEntries(
      measuredParts
        .filter((part) => slices.some(({ cpuMs }) => cpuMs[part] !== undefined))
        .map((part) => [part, median(({ cpuMs }) => cpuMs[part] ?? Number.NaN)]),
    ),
    bytes: { wal: median((slice) => slice.bytes.wal), restate: median((slice) => slice.bytes.restate) },
    othersCores: median((slice) => slice.othersCores),
  };
}
