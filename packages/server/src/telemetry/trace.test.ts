import { ParaphError } from "@paraph/core";
import { afterEach, expect, test } from "vitest";
import { startTelemetry, type TelemetryRuntime } from "./index.ts";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "./testing/otlp-receiver.ts";

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function receiver(): Promise<OtlpReceiver> {
  const started = await startOtlpReceiver();
  stops.push(started.stop);
  return started;
}

function runtime(role: "api" | "worker", otlpEndpoint?: string): Promise<TelemetryRuntime> {
  return startTelemetry({
    service: "paraph",
    version: "0.1.0",
    role,
    servesMetrics: false,
    env: {},
    ...(otlpEndpoint !== undefined && { otlpEndpoint }),
  });
}

/** Waits until this many spans were exported. `stop` waits for 2.5 s at most, and a busy machine may need longer. */
const waitForSpans = async ({ spans }: Pick<OtlpReceiver, "spans">, count: number) =>
  expect.poll(() => spans().length).toBe(count);

const readAttributes = (span: ReceivedSpan) =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test("one call is one trace, from the API to the worker", async () => {
  const { url, spans } = await receiver();
  const api = await runtime("api", url);
  const worker = await runtime("worker", url);

  const kept = await api.runInTrace("POST /v1/calls", undefined, { "http.request.method": "POST" }, () =>
    api.telemetry.span("executor.preview", { capability: "files.write" }, async () =>
      api.currentTraceparent(),
    ),
  );
  await worker.runInTrace("paraph.segment", kept, { "paraph.call": "call_01" }, async () => {
    await Promise.resolve();
    await worker.telemetry.span(
      "execute_tool files.write",
      {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "files.write",
        "gen_ai.tool.call.id": "call_01",
        "paraph.attempt": 1,
      },
      async () => ({ kind: "fault", fault: { code: "timeout" } }),
    );
  });
  await Promise.all([api.stop(), worker.stop()]);
  await waitForSpans({ spans }, 4);

  const [root, preview, segment, tool] = [
    "POST /v1/calls",
    "executor.preview",
    "paraph.segment",
    "execute_tool files.write",
  ].map((name) => spans().find((span) => span.name === name)!);
  expect(new Set(spans().map(({ traceId }) => traceId)).size).toBe(1);
  expect(root!.parentSpanId).toBeUndefined();
  expect(preview!.parentSpanId).toBe(root!.spanId);
  expect(segment!.parentSpanId).toBe(preview!.spanId);
  expect(tool!.parentSpanId).toBe(segment!.spanId);
  expect(readAttributes(tool!)).toMatchObject({
    "gen_ai.tool.name": "files.write",
    "gen_ai.tool.call.id": "call_01",
    "paraph.attempt": 1,
    "error.type": "timeout",
  });
});

test("Paraph continues a caller's traceparent, even if it is marked as not sampled", async () => {
  const { url, spans } = await receiver();
  const api = await runtime("api", url);
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const given = `00-${trace}-b7ad6b7169203331-00`;
  await api.runInTrace("GET /v1/calls/{call}", given, {}, () =>
    // The inner span gets the same traceparent. It names the start of the trace, not the parent of the inner span.
    api.runInTrace("paraph.admit", given, {}, async () => {}),
  );
  await api.stop();
  await waitForSpans({ spans }, 2);
  const [outer, inner] = ["GET /v1/calls/{call}", "paraph.admit"].map(
    (name) => spans().find((span) => span.name === name)!,
  );
  expect(outer).toMatchObject({ traceId: trace, parentSpanId: "b7ad6b7169203331", kind: 2 });
  expect(inner).toMatchObject({ traceId: trace, parentSpanId: outer!.spanId, kind: 1 });
});

test("[P10] a span contains only the code of an error, and the caller receives the error unchanged", async () => {
  const { url, spans, bodies } = await receiver();
  const api = await runtime("api", url);
  const thrown = new ParaphError("input-invalid", "the secret is in the message");
  await expect(api.runInTrace("paraph.admit", undefined, {}, () => Promise.reject(thrown))).rejects.toBe(
    thrown,
  );
  await api.stop();
  await waitForSpans({ spans }, 1);
  expect(readAttributes(spans()[0]!)).toEqual({ "error.type": "input-invalid" });
  expect(spans()[0]).toMatchObject({ status: { code: 2 }, events: [] });
  expect(bodies.join("")).not.toContain("secret");
});

test("Paraph exports nothing without an endpoint, and still passes the trace on", async () => {
  const api = await runtime("api");
  expect(api.exporting).toBe("off");
  expect(api.currentTraceparent()).toBeUndefined();
  const form = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;
  const fresh = await api.runInTrace("paraph.admit", undefined, {}, () =>
    api.telemetry.span("executor.preview", {}, async () => api.currentTraceparent()),
  );
  expect(fresh).toMatch(form);
  const given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const passed = await api.runInTrace("paraph.admit", given, {}, async () => api.currentTraceparent());
  expect(passed).toBe(given);
  const broken = await api.runInTrace("paraph.admit", `${given}-more`, {}, async () =>
    api.currentTraceparent(),
  );
  expect(broken).toMatch(form);
  expect(broken).not.toContain("0af7651916cd43dd8448eb211c80319c");
  await api.stop();
});

test("two concurrent traces stay separate", async () => {
  const api = await runtime("api");
  const one = () =>
    api.runInTrace("paraph.admit", undefined, {}, async () => {
      const before = api.currentTraceparent();
      await new Promise((resolve) => setTimeout(resolve, 5));
      return [before, api.currentTraceparent()];
    });
  const [[a, b], [c, d]] = (await Promise.all([one(), one()])) as [string[], string[]];
  expect(a).toBe(b);
  expect(c).toBe(d);
  expect(a).not.toBe(c);
  await api.stop();
});
