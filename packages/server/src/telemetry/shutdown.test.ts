import { expect, test, vi } from "vitest";
import { startTelemetry } from "./index.ts";
import { startSilentServer } from "./testing/otlp-receiver.ts";

const options = {
  service: "paraph",
  version: "0.1.0",
  role: "worker",
  servesMetrics: false,
  env: {},
} as const;

/** Stops telemetry after 2.5 seconds. Only the test moves the timers, so a stop that takes longer never ends. */
async function stopInTime(otlpEndpoint: string): Promise<void> {
  const { telemetry, runInTrace, stop } = await startTelemetry({ ...options, otlpEndpoint });
  await runInTrace("paraph.segment", undefined, {}, async () => {});
  telemetry.measure("paraph.call.attempts", 1);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const stopping = stop();
    await vi.advanceTimersByTimeAsync(2_500);
    await stopping;
    await stop();
  } finally {
    vi.useRealTimers();
  }
}

test("stop takes at most 2.5 seconds when no server listens at the endpoint", async () => {
  await stopInTime("http://127.0.0.1:9");
});

test("stop takes at most 2.5 seconds when the endpoint accepts and never answers", async () => {
  const silence = await startSilentServer();
  await stopInTime(silence.url);
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
