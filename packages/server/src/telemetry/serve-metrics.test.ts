import { expect, it, onTestFinished } from "vitest";
import { serveMetrics } from "./serve-metrics.ts";

const parts: Record<string, boolean> = { postgres: true };

async function startMetrics() {
  const metrics = await serveMetrics(
    { port: 0 },
    { metrics: async () => "paraph_up 1\n", checkHealth: async () => parts },
  );
  onTestFinished(() => metrics.stop());
  return metrics;
}

it("[TRUST 16] the metrics server listens on loopback and answers 404 to every other path", async () => {
  const metrics = await startMetrics();
  expect(new URL(metrics.url).hostname).toBe("127.0.0.1");
  const answer = await fetch(metrics.url);
  expect([answer.status, await answer.text(), answer.headers.get("content-type")]).toEqual([
    ...[200, "paraph_up 1\n", "text/plain; version=0.0.4; charset=utf-8"],
  ]);
  for (const path of ["/", "/metrics/", "/v1/calls", "/metrics?x=1"])
    expect((await fetch(new URL(path, metrics.url))).status).toBe(404);
  expect((await fetch(metrics.url, { method: "POST" })).status).toBe(404);
});

it("the metrics server answers whether the process runs and which part does not work", async () => {
  const { url } = await startMetrics();
  const read = async (path: string) => {
    const response = await fetch(new URL(path, url));
    return [response.status, await response.json()];
  };
  expect(await read("/healthz")).toEqual([200, { status: "up" }]);
  expect(await read("/readyz")).toEqual([200, { status: "ready", parts: { postgres: true } }]);
  parts.postgres = false;
  onTestFinished(() => {
    parts.postgres = true;
  });
  expect(await read("/readyz")).toEqual([503, { code: "not-ready", failing: ["postgres"] }]);
  expect(await read("/healthz")).toEqual([200, { status: "up" }]);
});
