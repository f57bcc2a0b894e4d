import type { Machine } from "../lib/machine.ts";
import { type Latency, latencyOf, medianOf, type Spread, spreadOf } from "../lib/stats.ts";
import { type Part, parts } from "./cluster.ts";
import type { Slice } from "./slice.ts";
import type { Variant } from "./variants.ts";

/** One variant under one load, over all rounds. */
export interface Figure {
  readonly rounds: number;
  readonly callsPerSecond: Spread;
  /** Over the calls of all rounds together. */
  readonly latency: Latency;
  /** The middle of each round's middle: how much rounds differ. */
  readonly p50: Spread;
  readonly cpuMs: Readonly<Record<Part | "load", number>>;
  readonly bytes: { readonly wal: number; readonly restate: number };
  readonly othersCores: number;
}

export interface Waiting {
  readonly approvals: number;
  /** What PostgreSQL and the engine say is waiting, once they were made. */
  readonly found: { readonly rounds: number; readonly calls: number; readonly messages: number };
  readonly askedPerSecond: number;
  readonly none: { readonly single: Figure; readonly many: Figure };
  readonly some: { readonly single: Figure; readonly many: Figure };
  /** Throughput with so many waiting over that without, in each round: both were measured within seconds. */
  readonly ratio: Spread;
}

export interface Result {
  readonly name: "call";
  readonly at: string;
  readonly quick: boolean;
  /** Where the governed write is carried out. */
  readonly performed: "where it arrives" | "by the worker";
  readonly seconds: number;
  readonly commit: string;
  /** Short statements of the measurements in this run. docs/proof.md prints them. */
  readonly covers: readonly string[];
  readonly machine: Machine & { readonly postgres: string };
  readonly policies: number;
  /** By variant, then by connections. */
  readonly figures: Readonly<Record<Variant, Readonly<Record<string, Figure>>>>;
  readonly direct: Latency;
  readonly waiting: readonly Waiting[];
  readonly errors: readonly string[];
}

export function figureOf(slices: readonly Slice[]): Figure {
  const median = (pick: (slice: Slice) => number) => medianOf(slices.map(pick));
  return {
    rounds: slices.length,
    callsPerSecond: spreadOf(slices.map((slice) => slice.callsPerSecond)),
    latency: latencyOf(slices.flatMap((slice) => slice.latencies)),
    p50: spreadOf(slices.map((slice) => latencyOf(slice.latencies).p50)),
    cpuMs: Object.fromEntries(
      [...parts, "load" as const].map((part) => [part, median((slice) => slice.cpuMs[part])]),
    ) as Figure["cpuMs"],
    bytes: { wal: median((slice) => slice.bytes.wal), restate: median((slice) => slice.bytes.restate) },
    othersCores: median((slice) => slice.othersCores),
  };
}
