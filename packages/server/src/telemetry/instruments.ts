import type { Attributes, Meter } from "@opentelemetry/api";
import type { Measurement, SpanAttributes } from "@paraph/core";
import { filterAllowed, metricAttributes } from "./allow-list.ts";
import { createBoundedSeries } from "./bounded-series.ts";

interface InstrumentKind {
  readonly kind: "counter" | "histogram";
  readonly about: string;
  readonly unit?: "s";
  readonly buckets?: readonly number[];
}

const workBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const lockBuckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600];
const approvalBuckets = [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 14_400, 43_200, 86_400, 259_200, 604_800];
const stepBuckets = [1, 2, 3, 5, 8, 13, 21, 50, 100];

/** The instruments by the name of their measurement. */
export const instrumentKinds: Readonly<Record<Measurement, InstrumentKind>> = {
  "executor.preview.count": defineCounter("Previews run"),
  "executor.preview.failures": defineCounter("Previews that failed, by code"),
  "executor.preview.seconds": defineDuration("How long a preview took", workBuckets),
  "executor.execution_request.steps.count": {
    kind: "histogram",
    about: "Steps of a plan or another composite",
    buckets: stepBuckets,
  },
  "executor.execution_request.preview.seconds": defineDuration(
    "How long the preview of a call took",
    workBuckets,
  ),
  "executor.execution_request.apply.seconds": defineDuration(
    "How long an attempt of a call took",
    workBuckets,
  ),
  "paraph.call.outcomes": defineCounter("Calls that ended, by outcome"),
  "paraph.call.attempts": defineCounter("Attempts to apply, by result"),
  "paraph.seal.failures": defineCounter("Records that no process of this deployment has sealed, by entry"),
  "paraph.engine.registrations": defineCounter(
    "Registrations at the engine that were foreign or missing, by code",
  ),
  "paraph.approval.wait.seconds": defineDuration(
    "Time from an approval request to a person's decision",
    approvalBuckets,
  ),
  "paraph.lock.wait.seconds": defineDuration("Time from queueing for locks to holding them", lockBuckets),
  "paraph.lock.hold.seconds": defineDuration("Time from taking locks to the call's end", lockBuckets),
};

/** A function that records a value under a measurement's name. */
export type Measure = (name: Measurement, value: number, about?: SpanAttributes) => void;

/**
 * Creates every instrument once. The returned function drops values with unknown names and values that are not finite
 * numbers.
 */
export function createInstruments(meter: Meter): Measure {
  const recorders = new Map(
    Object.entries(instrumentKinds).map(([name, kind]) => [
      name,
      { record: createRecorder(meter, name, kind), series: createBoundedSeries() },
    ]),
  );
  return (name, value, about = {}) => {
    const instrument = recorders.get(name);
    if (!instrument || !Number.isFinite(value)) return;
    // Replaces a negative value with 0. A duration that is measured with two clocks can be slightly negative, but a
    // counter must not decrease.
    instrument.record(Math.max(0, value), instrument.series(filterAllowed(metricAttributes, about)));
  };
}

function createRecorder(
  meter: Meter,
  name: string,
  kind: InstrumentKind,
): (value: number, attributes: Attributes) => void {
  const options = { description: kind.about, ...(kind.unit && { unit: kind.unit }) };
  if (kind.kind === "counter") {
    const made = meter.createCounter(name, options);
    return (value, attributes) => made.add(value, attributes);
  }
  const advice = { explicitBucketBoundaries: [...(kind.buckets ?? workBuckets)] };
  const made = meter.createHistogram(name, { ...options, advice });
  return (value, attributes) => made.record(value, attributes);
}

function defineCounter(about: string): InstrumentKind {
  return { kind: "counter", about };
}

function defineDuration(about: string, buckets: readonly number[]): InstrumentKind {
  return { kind: "histogram", about, unit: "s", buckets };
}
