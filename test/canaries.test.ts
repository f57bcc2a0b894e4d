import { afterAll, expect, it } from "vitest";
import { provision } from "../packages/server/src/postgres/index.ts";
import { startOtlpReceiver } from "../packages/server/src/telemetry/testing/otlp-receiver.ts";
import { readEngineFiles, readJournal } from "./support/servers/read-engine.ts";
import { TestCluster } from "./support/servers/test-cluster.ts";
import type { TestCallView } from "./support/test-client.ts";

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
const approver = await provision(cluster.database.ownerUrl, async (p) => {
  await p.addToGroup("acme", "paraph:admins", "owner");
  await p.addPrincipal({ tenant: "acme", id: "bea", kind: "person" });
  return p.createKey("acme", "bea");
});
cluster.environment = {
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  LOG_LEVEL: "debug",
  HIGH_EXPIRES: "5m",
};
const { url, metricsUrl } = await cluster.startProcess("api");
await cluster.startProcess("worker");
const keys = { ...cluster.keys, approver };

/** Typical forms of secrets and personal data. The mark makes each one findable in any case or text encoding. */
const looks: readonly ((mark: string) => string)[] = [
  (mark) => `jane.${mark}@example.org`,
  (mark) => `sk_live_51H8x${mark}`,
  (mark) => `AKIAIOSFODNN${mark}`,
  (mark) => `eyJhbGciOiJIUzI1NiJ9.${mark}.c2ln`,
  (mark) => `Jane ${mark} Doe, DE8937040044${mark}`,
];
const made: string[] = [];
function canary(): string {
  made.push(`zq${String(made.length).padStart(4, "0")}kx`);
  return looks[made.length % looks.length]!(made.at(-1)!);
}
const marks = (text: string): string[] => [...new Set(text.toLowerCase().match(/zq\d{4}kx/g))];

const problems: string[] = [];
async function request(
  as: keyof typeof keys,
  method: string,
  path: string,
  body?: object | string,
  headers: Record<string, string> = {},
): Promise<TestCallView> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${keys[as]}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) problems.push(text, JSON.stringify([...response.headers]));
  return JSON.parse(text) as TestCallView;
}

/** Returns the call once it waits for an approval or has closed. */
async function settled(call: string): Promise<TestCallView> {
  let view: TestCallView | undefined;
  await expect
    .poll(
      async () => {
        view = await request("owner", "GET", `/v1/calls/${call}`);
        return view.state === "asking" || view.state === "closed";
      },
      { interval: 50 },
    )
    .toBe(true);
  return view!;
}

async function call(capability: string, input: object, more: object = {}, as: keyof typeof keys = "agent") {
  const { call: id } = await request(as, "POST", "/v1/calls", { capability, input, ...more });
  return settled(id);
}

async function decided(
  testCallView: TestCallView,
  decision: "approve" | "deny",
  reason?: string,
): Promise<TestCallView> {
  const { id, digest } = testCallView.waiting!.approval!;
  const said = { decision, digest, ...(reason !== undefined && { reason }) };
  await request("approver", "POST", `/v1/approvals/${id}/decision`, said);
  let view = await settled(testCallView.call);
  while (view.state !== "closed") view = await settled(testCallView.call);
  return view;
}

/** Sends canaries in every text that an agent, an approver, an external system or a check can supply. */
async function sayEverything(): Promise<void> {
  const asked = async () => call("asked.keyed", { name: canary(), lock: canary() }, { purpose: canary() });
  const ended = await Promise.all([
    call("free.keyed", { name: canary() }, { purpose: canary() }),
    call("free.read", { name: canary() }),
    call("free.none", { name: `undoable-${canary()}` }),
    call("free.keyed", { name: `unseen-${canary()}` }),
    call("checked.keyed", { name: `bad-${canary()}` }),
    call("checked.keyed", { name: `broken-${canary()}` }),
    call("costly.keyed", { name: canary(), cents: 5 }),
    asked().then((view) => decided(view, "approve", canary())),
    asked().then((view) => decided(view, "deny", canary())),
  ]);
  expect(ended.map(({ outcome }) => outcome?.code)).toEqual([
    ...[
      "done",
      "done",
      "undoable",
      "preview-failed",
      "check-failed",
      "check-error",
      "done",
      "done",
      "denied",
    ],
  ]);
}

/** Sends canaries in rejected requests and in headers. */
async function beTurnedAway(): Promise<void> {
  const input = { name: canary() };
  const noise = Object.fromEntries(
    ["traceparent", "tracestate", "baggage", "user-agent", "cookie", "x-request-id", "referer"].map(
      (name) => [name, canary()],
    ),
  );
  await Promise.all([
    request("agent", "POST", "/v1/calls", { capability: "free.keyed", input }, noise),
    request(
      "agent",
      "POST",
      "/v1/calls",
      { capability: "free.keyed", input },
      { "idempotency-key": canary() },
    ),
    request("agent", "GET", "/v1/capabilities", undefined, { authorization: `Bearer ${canary()}` }),
    request("agent", "GET", `/v1/calls/${encodeURIComponent(canary())}`),
    request("agent", "GET", `/v1/calls?state=${encodeURIComponent(canary())}`),
    request("approver", "POST", `/v1/approvals/${encodeURIComponent(canary())}/decision`, {
      decision: "deny",
    }),
    request("agent", "POST", "/v1/calls", { capability: `no.${canary()}`, input: { name: canary() } }),
    request("agent", "POST", "/v1/calls", { capability: "free.keyed", input: { name: [canary()] } }),
    request("agent", "POST", "/v1/calls", `{"capability":"free.keyed","input":{"name":"${canary()}"`),
  ]);
}

async function administer(verb: string, input: object): Promise<unknown> {
  const view = await call(`admin.${verb}`, input, { purpose: canary() }, "owner");
  const ended = view.state === "asking" ? await decided(view, "approve", canary()) : view;
  expect(ended.outcome).toMatchObject({ kind: "succeeded" });
  return ended.output;
}

async function administerAll(): Promise<void> {
  const subject = { kind: "capability", subject: "quick.keyed" };
  const { freeze } = (await administer("freeze", { ...subject, reason: canary() })) as { freeze: string };
  await administer("thaw", { freeze, reason: canary() });
  const bounds = { name: { startsWith: canary() } };
  await administer("grant", { capability: "asked.natural", count: 1, bounds });
  const text = `// ${canary()}\n@id("never")\nforbid (principal, action == Action::"quick.keyed", resource);\n`;
  await administer("policy_publish", { sources: [{ file: "policies/never.cedar", text }] });
}

/**
 * The columns that keep text on purpose. A key is the caller's own name for a call, bounds are arguments, and a policy
 * is not secret.
 */
const kept = [...["payload.body", "call.key", "standing_grant.bounds", "policy_set.document"]];

it("[P10] [TRUST 16] 200 canaries are only in payloads and intended columns, in no log, metric, span, journal, receipt or problem", async () => {
  for (let round = 0; round < 6; round += 1) {
    await sayEverything();
    await beTurnedAway();
  }
  await administerAll();
  expect(made.length).toBeGreaterThanOrEqual(200);
  const metrics = await (await fetch(metricsUrl)).text();
  const journal = await readJournal(cluster);
  const disk = await readEngineFiles(cluster);
  await cluster.stopProcesses();

  const found = await columnsWithMarks();
  expect([...found.keys()].filter((column) => !kept.includes(column))).toEqual([]);
  expect(found.get("payload.body")!.length, "what goes in is found, if it is there").toBeGreaterThan(100);
  const sinks = {
    logs: cluster.logs,
    metrics,
    spans: receiver.bodies.join("\n"),
    journal,
    disk,
    receipts: await receipts(),
    problems: problems.join("\n"),
  };
  for (const [sink, text] of Object.entries(sinks)) {
    expect(text.length, `${sink} was read`).toBeGreaterThan(0);
    expect(marks(text), sink).toEqual([]);
  }
});

/** Returns every column of every table with the canaries in it. */
async function columnsWithMarks(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const tables = await cluster.database.query(
    "select table_name as name from information_schema.tables where table_schema = 'paraph' and table_type = 'BASE TABLE'",
  );
  for (const { name: table } of tables) {
    const rows = await cluster.database.query(`select to_jsonb(t) as row from paraph."${table}" t`);
    for (const { row } of rows)
      for (const [column, value] of Object.entries(row as object)) {
        const inside = marks(JSON.stringify(value));
        const place = `${table}.${column}`;
        if (inside.length > 0) found.set(place, [...new Set([...(found.get(place) ?? []), ...inside])]);
      }
  }
  return found;
}

/** Returns the content of all receipts. The events that they sign are rows, which `columnsWithMarks` reads. */
async function receipts(): Promise<string> {
  const rows = await cluster.database.query("select story from paraph.receipt");
  return rows.map(({ story }) => String(story)).join("\n");
}
