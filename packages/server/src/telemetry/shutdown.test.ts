import { expect, test } from "vitest";
import { startTelemetry } from "./index.ts";
import { startSilentServer } from "./testing/otlp-receiver.ts";

const options = {
  service: "paraph",
  version: "0.1.0",
  role: "worker",
  servesMetrics: false,
  env: {},
} as const;

async function stopTakes(otlpEndpoint: string): Promise<number> {
  const { telemetry, runInTrace, stop } = await startTelemetry({ ...options, otlpEndpoint });
  await runInTrace("paraph.segment", undefined, {}, async () => {});
  telemetry.measure("paraph.call.attempts", 1);
  const began = performance.now();
  await stop();
  await stop();
  return performance.now() - began;
}

test("stop takes less than 8 seconds when no server listens at the endpoint", async () => {
  expect(await stopTakes("http://127.0.0.1:9")).toBeLessThan(8_000);
});

test("stop takes less than 8 seconds when the endpoint accepts and never answers", async () => {
  const silence = await startSilentServer();
  expect(await stopTakes(silence.url)).toBeLessThan(8_000);
  await silence.stop();
});

test("an endpoint that is not a valid address is reported and does not throw", async () => {
  for (const otlpEndpoint of ["localhost:4318", "http://", "grpc://127.0.0.1:4317"]) {
    const { exporting, runInTrace, stop } = await startTelemetry({ ...options, otlpEndpoint });
    expect(exporting).toBe("endpoint-invalid");
    expect(await runInTrace("paraph.segment", undefined, {}, async () => "done")).toBe("done");
    await stop();
  }
});

test("attributes that throw when they are read do not affect the caller, and the body runs once", async () => {
  const { telemetry, stop } = await startTelemetry({ ...options, otlpEndpoint: "http://127.0.0.1:9" });
  const hostile = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("hostile");
      },
    },
  );
  let runs = 0;
  await telemetry.span("paraph.segment", hostile, async () => {
    runs += 1;
  });
  telemetry.measure("paraph.call.attempts", 1, hostile);
  await expect(
    telemetry.span("paraph.segment", hostile, () => Promise.reject(new Error("mine"))),
  ).rejects.toThrow("mine");
  expect(runs).toBe(1);
  await stop();
});
