import { afterAll, expect, it } from "vitest";
import { startOtlpReceiver } from "../packages/server/src/telemetry/testing/otlp-receiver.ts";
import { eventually } from "./support/eventually.ts";
import { readEngineFiles, readJournal } from "./support/servers/read-engine.ts";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { TestClient } from "./support/test-client.ts";

const receiver = await startOtlpReceiver();
// Compression is off, so that the test can search the engine's files on disk.
const cluster = await TestCluster.start({
  engine: "restate",
  restateEnv: {
    RESTATE_WORKER__STORAGE__ROCKSDB_DISABLE_WAL_COMPRESSION: "true",
    RESTATE_BIFROST__LOCAL__ROCKSDB_DISABLE_WAL_COMPRESSION: "true",
    RESTATE_LOG_SERVER__ROCKSDB_DISABLE_WAL_COMPRESSION: "true",
  },
});
afterAll(async () => {
  await cluster.stop();
  await receiver.stop();
});
cluster.environment = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
const api = await cluster.startProcess("api");
await cluster.startProcess("worker");
const client = new TestClient(api.url, cluster.keys);

const canary = "canary7Q3ZK9";

it("one call is one trace across API, engine and worker, and no log, metric, span or journal contains its data", async () => {
  const { body: call } = await client.call(
    "asked.keyed",
    { name: `name ${canary}`, lock: `lock ${canary}` },
    { key: canary },
  );
  await client.decide(call.waiting!.approval!.id, {
    decision: "approve",
    digest: call.waiting!.approval!.digest,
    reason: `because ${canary}`,
  });
  expect(await client.waitForOutcome(call.call)).toMatchObject({ outcome: { kind: "succeeded" } });
  const failing = await client.call("free.none", { name: canary });
  await client.waitForOutcome(failing.body.call);
  await client.request("agent", "POST", `/v1/calls`, { capability: `no.${canary}`, input: { canary } });

  // On a busy machine, a scrape can lack the numbers of PostgreSQL, and the next one has them.
  const metrics = await eventually(async () => {
    const text = await (await fetch(api.metricsUrl)).text();
    for (const line of ["paraph_workers 1", 'paraph_ready{part="postgres"} 1', "paraph_approvals_open 0"])
      expect(text).toContain(`${line}\n`);
    return text;
  });
  const journal = await readJournal(cluster);
  await cluster.stopProcesses();

  // [P2] The trace starts where the call was admitted and continues where it was performed.
  const spans = receiver.spans();
  const admitted = spans.find(({ name }) => name === "paraph.admit");
  const segments = spans.filter(
    ({ name, traceId }) => name === "paraph.segment" && traceId === admitted?.traceId,
  );
  const performed = spans.filter(
    ({ name, traceId }) => name === "execute_tool asked.keyed" && traceId === admitted?.traceId,
  );
  expect(segments.length).toBeGreaterThan(0);
  expect(performed).toHaveLength(1);

  const names = new Set(receiver.metricNames());
  for (const name of [
    "executor.preview.count",
    "executor.preview.seconds",
    "executor.execution_request.apply.seconds",
    "paraph.lock.wait.seconds",
    "paraph.lock.hold.seconds",
    "paraph.call.outcomes",
  ]) {
    expect(names, name).toContain(name);
  }
  expect(metrics).toContain("executor_preview_seconds");
  expect(metrics).toMatch(/^paraph_http_requests_total\{status="4\d\d"\} 1$/m);

  // [P10] No log, metric, span or journal contains the input, lock key, idempotency key, reason or path.
  expect(cluster.logs).not.toContain(canary);
  expect(metrics).not.toContain(canary);
  expect(receiver.bodies.join("\n")).not.toContain(canary);
  expect(journal).not.toContain(canary);
  const disk = await readEngineFiles(cluster);
  expect(disk, "the engine's files can be read this way").toContain(call.call);
  expect(disk).not.toContain(canary);
  const events = await cluster.database.query("select string_agg(data::text, ' ') as all from paraph.event");
  expect(String(events[0]?.all)).not.toContain(canary);
});
