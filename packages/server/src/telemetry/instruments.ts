import type { Attributes, Meter } from "@opentelemetry/api";
import type { Measurement, SpanAttributes } from "@paraph/core";
import { metricAttributes, onlyAllowed } from "./allow-list.ts";
import { boundedSeries } from "./series.ts";

interface Kind {
  readonly kind: "counter" | "histogram";
  readonly about: string;
  readonly unit?: "s";
  readonly buckets?: readonly number[];
}

const ofWork = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const ofLocks = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600];
const ofPeople = [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 14_400, 43_200, 86_400, 259_200, 604_800];
const ofSteps = [1, 2, 3, 5, 8, 13, 21, 50, 100];

const kinds: Readonly<Record<Measurement, Kind>> = {
  "executor.preview.count": counter("Previews run"),
  "executor.preview.failures": counter("Previews that failed, by code"),
  "executor.preview.seconds": seconds("How long a preview took", ofWork),
  "executor.execution_request.steps.count": {
    kind: "histogram",
    about: "Steps of an execution request",
    buckets: ofSteps,
  },
  "executor.execution_request.preview.seconds": seconds(
    "How long previewing an execution request took",
    ofWork,
  ),
  "executor.execution_request.apply.seconds": seconds("How long applying an execution request took", ofWork),
  "paraph.call.outcomes": counter("Calls that ended, by outcome"),
  "paraph.call.attempts": counter("Attempts to apply, by result"),
  "paraph.seal.failures": counter("Records that no process of this deployment has sealed, by entry"),
  "paraph.engine.registrations": counter(
    "Registrations at the engine that were not ours or were away, by code",
  ),
  "paraph.approval.wait.seconds": seconds("From asking to a person's decision", ofPeople),
  "paraph.lock.wait.seconds": seconds("From queueing for locks to holding them", ofLocks),
  "paraph.lock.hold.seconds": seconds("From taking locks to the call's end", ofLocks),
};

export type Measure = (name: Measurement, value: number, about?: SpanAttributes) => void;

/** Makes every instrument once; what is measured under another name, or is not a number, is dropped. */
export function instrumentsOf(meter: Meter): Measure {
  const recorders = new Map(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { record: recorder(meter, name, kind), series: boundedSeries() },
    ]),
  );
  return (name, value, about = {}) => {
    const instrument = recorders.get(name);
    if (!instrument || !Number.isFinite(value)) return;
    // Two clocks can make a duration slightly negative; a counter never goes down.
    instrument.record(Math.max(0, value), instrument.series(onlyAllowed(metricAttributes, about)));
  };
}

function recorder(meter: Meter, name: string, kind: Kind): (value: number, about: Attributes) => void {
  const options = { description: kind.about, ...(kind.unit && { unit: kind.unit }) };
  if (kind.kind === "counter") {
    const made = meter.createCounter(name, options);
    return (value, about) => made.add(value, about);
  }
  const advice = { explicitBucketBoundaries: [...(kind.buckets ?? ofWork)] };
  const made = meter.createHistogram(name, { ...options, advice });
  return (value, about) => made.record(value, about);
}

function counter(about: string): Kind {
  return { kind: "counter", about };
}

function seconds(about: string, buckets: readonly number[]): Kind {
  return { kind: "histogram", about, unit: "s", buckets };
}
