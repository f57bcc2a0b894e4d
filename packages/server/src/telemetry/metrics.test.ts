import type { Measurement } from "@paraph/core";
import { expect, test } from "vitest";
import { startTelemetry } from "./index.ts";
import { startOtlpReceiver } from "./testing/otlp-receiver.ts";

const names: readonly Measurement[] = [
  "executor.preview.count",
  "executor.preview.seconds",
  "executor.preview.failures",
  "executor.execution_request.steps.count",
  "executor.execution_request.preview.seconds",
  "executor.execution_request.apply.seconds",
  "paraph.headline.failures",
  "paraph.call.outcomes",
  "paraph.call.attempts",
  "paraph.engine.registrations",
  "paraph.policy.disagreements",
  "paraph.approval.wait.seconds",
  "paraph.lock.wait.seconds",
  "paraph.lock.hold.seconds",
  "paraph.seal.failures",
  "paraph.signature.failures",
  "paraph.http.requests",
];
const options = { service: "paraph", version: "0.1.0", role: "all", servesMetrics: true, env: {} } as const;

test("the Prometheus text contains every measurement, even without an OTLP endpoint", async () => {
  const { telemetry, metricsText, stop } = await startTelemetry(options);
  for (const name of names) telemetry.measure(name, 2, { capability: "files.write" });
  telemetry.measure("paraph.call.outcomes", 1, { outcome: "succeeded", capability: "files.write" });
  const text = await metricsText();
  for (const name of names) expect(text).toContain(`# HELP ${name.replaceAll(".", "_")}`);
  expect(text).toContain('paraph_call_outcomes_total{outcome="succeeded",capability="files.write"} 1');
  expect(text).toContain('executor_preview_seconds_bucket{capability="files.write",le="2.5"} 1');
  expect(text).toContain('executor_preview_seconds_bucket{capability="files.write",le="1"} 0');
  expect(text).toContain('service_name="paraph"');
  telemetry.measure("paraph.seal.failures", 1, { entry: "approval-inherited" });
  expect(await metricsText()).toContain('paraph_seal_failures_total{entry="approval-inherited"} 1');
  telemetry.measure("executor.preview.count", 3, { capability: "files.write" });
  expect(await metricsText()).toContain('executor_preview_count_total{capability="files.write"} 5');
  await stop();
  expect(await metricsText()).toBe("# no metrics\n");
});

test("the same metrics go to an OTLP endpoint and into the Prometheus text", async () => {
  const receiver = await startOtlpReceiver();
  const { telemetry, metricsText, stop, exporting } = await startTelemetry({
    ...options,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/` },
  });
  expect(exporting).toBe("on");
  for (const name of names) telemetry.measure(name, 1);
  expect(await metricsText()).toContain("paraph_call_attempts_total 1");
  await stop();
  // `stop` waits for 2.5 s at most, and a busy machine may need longer for the export.
  await expect.poll(() => receiver.metricNames().toSorted()).toEqual(names.toSorted());
  await receiver.stop();
});

test("series stay bounded over many collections", async () => {
  const { telemetry, metricsText, stop } = await startTelemetry(options);
  for (let n = 0; n < 3_000; n++) {
    telemetry.measure("executor.preview.failures", 1, { code: `code-${Math.floor(n / 1_000)}-${n % 1_000}` });
    if (n % 500 === 0) await metricsText();
  }
  const series = (await metricsText())
    .split("\n")
    .filter((line) => line.startsWith("executor_preview_failures"));
  expect(series).toHaveLength(1_001);
  expect(series).toContain('executor_preview_failures_total{otel_metric_overflow="true"} 2000');
  await stop();
});

test("a gauge that is not read is absent, and its last value is not repeated", async () => {
  const receiver = await startOtlpReceiver();
  for (const env of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }]) {
    const { addGauges, telemetry, metricsText, stop } = await startTelemetry({ ...options, env });
    let isAvailable = true;
    addGauges(async ({ measure }) => {
      if (!isAvailable) throw new Error("slow");
      measure("paraph.calls.due", 3);
      measure("paraph.ready", 0, { part: "postgres", call: "call_1" });
      measure("paraph.workers", Number.NaN);
    });
    telemetry.measure("paraph.call.attempts", 1);
    const text = await metricsText();
    expect(text).toContain("# TYPE paraph_calls_due gauge\nparaph_calls_due 3\n");
    expect(text).toContain('paraph_ready{part="postgres"} 0\n');
    expect(text).not.toContain("paraph_workers");
    isAvailable = false;
    const later = await metricsText();
    expect(later).not.toMatch(/paraph_(?:calls_due|ready)/);
    expect(later).toContain("paraph_call_attempts_total 1");
    await stop();
  }
  await receiver.stop();
});

test("drops non-finite values and unknown measurements", async () => {
  const { telemetry, metricsText, stop } = await startTelemetry(options);
  telemetry.measure("executor.preview.count", Number.NaN);
  telemetry.measure("executor.preview.seconds", Number.POSITIVE_INFINITY);
  telemetry.measure("somebody.elses" as Measurement, 1);
  telemetry.measure("constructor" as Measurement, 1);
  telemetry.measure("paraph.lock.wait.seconds", -0.002);
  const text = await metricsText();
  expect(text).not.toMatch(/executor_|somebody|NaN/);
  expect(text).toContain("paraph_lock_wait_seconds_sum 0");
  await stop();
});
