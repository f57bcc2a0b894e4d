import { CapabilityError, type Measurement } from "@paraph/core";
import { expect, test } from "vitest";
import { logFields, metricAttributes, spanAttributes } from "./allow-list.ts";
import { createLog, startTelemetry, toErrorCode } from "./index.ts";
import { startOtlpReceiver } from "./testing/otlp-receiver.ts";

/** Samples of secrets and personal data. The number makes each sample unique, so that a test can find it. */
const looks: readonly ((n: number) => string)[] = [
  (n) => `jane.doe${n}@example.org`,
  (n) => `Jane Doe${n}`,
  (n) => `+49 170 55501${n}`,
  (n) => `41111111111111${n}`,
  (n) => `DE8937040044053201${n}`,
  (n) => `sk_live_51H8xCANARY${n}`,
  (n) => `AKIAIOSFODNN7CANARY${n}`,
  (n) => `Bearer eyJhbGciOiJIUzI1NiJ9.CANARY${n}.${"x".repeat(80)}`,
  (n) => `line one\nCANARY${n}`,
  (n) => `https://example.org/people/CANARY${n}?q=1`,
];
const canaries = Array.from({ length: 50 }, (_, n) => looks[n % looks.length]!(n + 10));

test("[P10] 50 canaries in every telemetry input appear in no log line, span or metric", async () => {
  const receiver = await startOtlpReceiver();
  const runtime = await startTelemetry({
    service: "paraph",
    version: "0.1.0",
    role: "all",
    servesMetrics: true,
    otlpEndpoint: receiver.url,
    env: {},
  });
  const lines: string[] = [];
  const destination = { write: (text: string) => lines.push(text) };
  const logs = [
    createLog({ level: "debug", destination }),
    createLog({ level: "debug", destination, pretty: true }),
  ];

  for (const canary of canaries) {
    const spread = (list: object) =>
      Object.fromEntries([
        ...Object.keys(list).map((key) => [key, canary]),
        [canary, canary],
        ["input", canary],
        ["exception.message", canary],
        ["paraph.input", canary],
      ]);
    const wrong = [
      new Error(canary),
      Object.assign(new Error(canary), { code: canary, name: canary, cause: { code: canary } }),
      new CapabilityError("permanent", canary, canary),
      canary,
    ];
    for (const name of [
      canary,
      `execute_tool ${canary}`,
      `GET ${canary}`,
      `GET /v1/${canary}`,
      `paraph.${canary}`,
    ])
      await runtime.runInTrace(name, canary, spread(spanAttributes), () =>
        runtime.telemetry.span(name, spread(spanAttributes), async () => ({
          kind: "fault",
          fault: { code: canary, message: canary },
        })),
      );
    for (const error of wrong) {
      await runtime.runInTrace("paraph.admit", undefined, {}, () => Promise.reject(error)).catch(() => {});
      for (const log of logs) log("error", "failed", { cause: toErrorCode(error) });
    }
    runtime.telemetry.measure("paraph.call.attempts", 1, spread(metricAttributes));
    runtime.telemetry.measure("paraph.approval.wait.seconds", 1, spread(metricAttributes));
    runtime.telemetry.measure(canary as Measurement, 1);
    for (const log of logs) {
      log("info", canary, spread(logFields));
      log(canary as "info", "failed", spread(logFields));
    }
  }
  const text = await runtime.metricsText();
  await runtime.stop();
  // `stop` waits for 2.5 s at most, and a busy machine may need longer for the export.
  await expect.poll(() => receiver.spans().length).toBe(50 * 14);
  await expect.poll(() => receiver.metricNames()).toContain("paraph.call.attempts");
  await receiver.stop();

  const sinks = [text, ...receiver.bodies, ...lines];
  expect(lines.length).toBe(50 * 10);
  for (const canary of canaries) {
    // The canary must not appear as JSON or in lower case either.
    const forms = [
      canary,
      JSON.stringify(canary).slice(1, -1),
      canary.toLowerCase(),
      canary.toLowerCase().replaceAll("_", "-"),
    ];
    for (const form of forms)
      expect(
        sinks.some((sink) => sink.includes(form)),
        form,
      ).toBe(false);
  }
  expect(/canary|jane|doe|example\.org|akia/i.test(sinks.join("\n"))).toBe(false);
});
