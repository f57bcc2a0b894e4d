import type { Attributes, Meter, Observable, ObservableGauge } from "@opentelemetry/api";
import type { Measurement, SpanAttributes } from "@paraph/core";
import { filterAllowed, metricAttributes } from "./allow-list.ts";
import { createBoundedSeries } from "./bounded-series.ts";

interface InstrumentKind {
  readonly kind: "counter" | "histogram" | "gauge";
  readonly about: string;
  readonly unit?: "s";
  readonly buckets?: readonly number[];
}

const workBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const lockBuckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600];
const approvalBuckets = [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 14_400, 43_200, 86_400, 259_200, 604_800];
const stepBuckets = [1, 2, 3, 5, 8, 13, 21, 50, 100];

/** The name of a metric that is read when metrics are collected. */
export type GaugeName =
  | "paraph.ready"
  | "paraph.workers"
  | "paraph.calls.due"
  | "paraph.calls.due.age.seconds"
  | "paraph.calls.stuck"
  | "paraph.calls.unknown"
  | "paraph.approvals.open"
  | "paraph.approvals.open.age.seconds"
  | "paraph.locks.held"
  | "paraph.webhooks.failing"
  | "paraph.webhooks.failing.age.seconds"
  | "paraph.notices.waiting"
  | "paraph.notices.waiting.age.seconds"
  | "paraph.backlog.read.seconds"
  | "paraph.database.waiting";

/** The instruments by the name of their measurement. */
export const instrumentKinds: Readonly<Record<Measurement | GaugeName, InstrumentKind>> = {
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
  "paraph.headline.failures": defineCounter(
    "Headlines of a capability that were invalid, by code; the preview gave another",
  ),
  "paraph.call.outcomes": defineCounter("Calls that ended, by outcome"),
  "paraph.call.attempts": defineCounter("Attempts to apply, by result"),
  "paraph.seal.failures": defineCounter("Records that no process of this deployment has sealed, by entry"),
  "paraph.signature.failures": defineCounter("Receipts that the signing key did not sign"),
  "paraph.policy.disagreements": defineCounter("Rulings on which compiled policies and Cedar disagreed"),
  "paraph.http.requests": defineCounter(
    "Requests to the API and the pages, by status, without health probes",
  ),
  "paraph.engine.registrations": defineCounter(
    "Registrations at the engine that were foreign or missing, by code",
  ),
  "paraph.approval.wait.seconds": defineDuration(
    "Time from an approval request to a person's decision",
    approvalBuckets,
  ),
  "paraph.lock.wait.seconds": defineDuration("Time from queueing for locks to holding them", lockBuckets),
  "paraph.lock.hold.seconds": defineDuration("Time from taking locks to the call's end", lockBuckets),
  "paraph.notices.sent": defineCounter("Notices that a channel sent to people"),
  "paraph.notices.failed": defineCounter("Attempts to send a notice that failed, by code"),
  "paraph.ready": defineGauge("1 if this part of the process works, otherwise 0"),
  "paraph.workers": defineGauge("Workers of the deployment that are alive"),
  "paraph.calls.due": defineGauge("Calls that a worker should have continued by now, at most 10,000"),
  "paraph.calls.due.age.seconds": defineGauge("How long the oldest due call is overdue, 0 without one", "s"),
  "paraph.calls.stuck": defineGauge("Calls that wait for `paraph retry`, at most 10,000"),
  "paraph.calls.unknown": defineGauge("Unresolved calls with an unknown outcome, at most 10,000"),
  "paraph.approvals.open": defineGauge("Approvals that wait for people, at most 10,000"),
  "paraph.approvals.open.age.seconds": defineGauge(
    "How long the oldest open approval has waited, 0 without one",
    "s",
  ),
  "paraph.locks.held": defineGauge("Locks that calls hold, at most 10,000"),
  "paraph.webhooks.failing": defineGauge("Webhook deliveries that failed and will be repeated"),
  "paraph.webhooks.failing.age.seconds": defineGauge(
    "How long the oldest of these deliveries has been failing, 0 without one",
    "s",
  ),
  "paraph.notices.waiting": defineGauge("Notices that are due or failed, and are not sent yet"),
  "paraph.notices.waiting.age.seconds": defineGauge(
    "How long the oldest of these notices has been due or failing",
    "s",
  ),
  "paraph.backlog.read.seconds": defineGauge(
    "How long PostgreSQL took to count due calls, approvals and locks",
    "s",
  ),
  "paraph.database.waiting": defineGauge("Queries of this process that wait for a connection, by pool"),
};

/** A function that records a value under a measurement's name. */
export type Measure = (name: Measurement, value: number, about?: SpanAttributes) => void;

/**
 * Creates every instrument once. The returned function drops values with unknown names and values that are not finite
 * numbers.
 */
export function createInstruments(meter: Meter): Measure {
  const recorders = new Map(
    listInstruments((kind) => kind !== "gauge").map(([name, kind]) => [
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

/** Records gauges for one collection. */
export interface GaugeReading {
  measure(name: GaugeName, value: number, about?: SpanAttributes): void;
}

/** Reads gauges for one collection. A gauge that it does not record is absent from that collection. */
export type GaugeSource = (reading: GaugeReading) => Promise<void>;

/** Creates every gauge once. The returned function adds a source, which is read with each collection. */
export function createGauges(meter: Meter): (source: GaugeSource) => void {
  const gauges = new Map(
    listInstruments((kind) => kind === "gauge").map(([name, kind]) => [
      name,
      meter.createObservableGauge(name, toOptions(kind)),
    ]),
  );
  const observables: Observable[] = [...gauges.values()];
  return (source) =>
    meter.addBatchObservableCallback(async (result) => {
      const measure: GaugeReading["measure"] = (name, value, about = {}) => {
        const gauge: ObservableGauge | undefined = gauges.get(name);
        if (gauge && Number.isFinite(value))
          result.observe(gauge, value, filterAllowed(metricAttributes, about));
      };
      await source({ measure });
    }, observables);
}

function listInstruments(fits: (kind: InstrumentKind["kind"]) => boolean): [string, InstrumentKind][] {
  return Object.entries(instrumentKinds).filter(([, { kind }]) => fits(kind));
}

function toOptions({ about, unit }: InstrumentKind) {
  return { description: about, ...(unit && { unit }) };
}

function createRecorder(
  meter: Meter,
  name: string,
  kind: InstrumentKind,
): (value: number, attributes: Attributes) => void {
  const options = toOptions(kind);
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

function defineGauge(about: string, unit?: "s"): InstrumentKind {
  return { kind: "gauge", about, ...(unit && { unit }) };
}
