import { expect, it, onTestFinished } from "vitest";
import { serveMetrics } from "./serve-metrics.ts";

it("[TRUST 16] the metrics server listens on loopback and answers 404 to everything except GET /metrics", async () => {
  const metrics = await serveMetrics({ port: 0 }, async () => "paraph_up 1\n");
  onTestFinished(() => metrics.stop());
  expect(new URL(metrics.url).hostname).toBe("127.0.0.1");
  const answer = await fetch(metrics.url);
  expect([answer.status, await answer.text(), answer.headers.get("content-type")]).toEqual([
    ...[200, "paraph_up 1\n", "text/plain; version=0.0.4; charset=utf-8"],
  ]);
  for (const path of ["/", "/metrics/", "/v1/calls", "/metrics?x=1"])
    expect((await fetch(new URL(path, metrics.url))).status).toBe(404);
  expect((await fetch(metrics.url, { method: "POST" })).status).toBe(404);
});
