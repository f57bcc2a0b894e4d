import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateDatabase, provision } from "@paraph/server";
import { Client } from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { runCli } from "../../testing/run-cli.ts";
import { createTestReceipt } from "../../testing/test-receipt.ts";

const name = `restored_${randomBytes(6).toString("hex")}`;
const adminUrl = inject("postgres").replace(/\/postgres$/, `/${name}`);
// An owner without the rights of a superuser, as in production: row-level security applies to it.
const ownerUrl = Object.assign(new URL(adminUrl), { username: name, password: "owner" }).href;
let folder: string;
let admin: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-restored-"));
  admin = new Client({ connectionString: inject("postgres") });
  await admin.connect();
  await admin.query(`create role ${name} login createrole password 'owner'`);
  await admin.query(`create database ${name} owner ${name}`);
  await migrateDatabase(ownerUrl);
  await provision(ownerUrl, (p) => p.addTenant("acme"));
  const superuser = new Client({ connectionString: adminUrl });
  await superuser.connect();
  for (const [id, state] of [
    ["call_open", "ready"],
    ["call_done", "closed"],
  ])
    await superuser.query(
      `insert into paraph.call (tenant, id, principal, key, capability, version, contract_digest, request_digest, lock_keys, state, epoch, next_at, outcome, created_at)
       values ('acme', $1, 'bot', 'key of ' || $1, 'a.b', 1, 'c', 'r', '{}', $2, 1,
               case when $2 = 'ready' then now() end, case when $2 = 'closed' then 'succeeded' end, '2026-03-01T09:00:00Z')`,
      [id, state],
    );
  await superuser.end();
});

afterAll(async () => {
  await admin.query(`drop database ${name} with (force)`);
  await admin.query(`drop owned by ${name} cascade`);
  await admin.query(`drop role ${name}`);
  await admin.end();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  runCli(["restored", ...args], { folder, environment: { DATABASE_OWNER_URL: ownerUrl } });
const record = (to: string, ...args: string[]) => run("record", "--to", to, "--reason", "disk lost", ...args);

it("`restored record` needs a time with its zone, and freezes every tenant as an ordinary owner", async () => {
  expect((await record("2026-03-01 09:30")).stderr).toContain("with its zone");
  const trial = await record("2026-03-01T09:30:00Z", "--dry-run", "--json");
  expect(JSON.parse(trial.stdout)).toMatchObject({
    dryRun: true,
    tenants: [{ tenant: "acme", openCalls: 1 }],
  });
  expect(trial.stdout).not.toContain("freeze_");
  const { stdout, code } = await record("2026-03-01T09:30:00Z", "--json");
  expect(code).toBe(0);
  const { tenants } = JSON.parse(stdout);
  expect(tenants).toEqual([{ tenant: "acme", freeze: expect.stringMatching(/^freeze_/), openCalls: 1 }]);
});

it("`restored evidence` lists effects that the database lacks, and counts only receipts that verify", async () => {
  const receipt = await createTestReceipt();
  const forged = structuredClone(receipt.bundle) as unknown as { envelope: { payload: string } };
  forged.envelope.payload = Buffer.from("{}").toString("base64");
  await mkdir(join(folder, "receipts"));
  await writeFile(join(folder, "keys.json"), JSON.stringify({ keys: [receipt.key] }));
  await writeFile(join(folder, "receipts/one.json"), JSON.stringify(receipt.bundle));
  await writeFile(join(folder, "receipts/forged.json"), JSON.stringify(forged));
  const at = "2026-03-01T09:31:00Z";
  const event = (call: string, kind: string, data: object = {}) => ({
    type: `dev.paraph.call.${kind}.v1`,
    time: at,
    subject: call,
    data,
  });
  const lines = [
    { call: "call_open", at, kind: "apply", capability: "a.b", outcome: "succeeded", code: "done" },
    { call: "call_done", at, kind: "apply", capability: "a.b", outcome: "succeeded" },
    { call: "call_denied", at, kind: "end", capability: "a.b", outcome: "denied" },
    event("call_begun", "accepted", { capability: "a.c" }),
    event("call_begun", "intended"),
    event("call_waiting", "asked"),
  ];
  await writeFile(
    join(folder, "lines.jsonl"),
    `${lines.map((line) => JSON.stringify(line)).join("\n")}\nnot json\n`,
  );
  const { stdout, code } = await run("evidence", "lines.jsonl", "receipts", "--key", "keys.json", "--json");
  expect(code).toBe(1);
  const { effects, ...counts } = JSON.parse(stdout);
  expect(counts).toEqual({ callsInEvidence: 6, rejectedReceipts: 1, unknownEntries: 1 });
  const about = effects.map((one: Record<string, unknown>) => [
    ...[one.call, one.capability, one.outcome, one.verified, one.database, one.key],
  ]);
  expect(about).toEqual([
    ["call_test", "files.write", "succeeded", true, "missing", undefined],
    ["call_begun", "a.c", undefined, false, "missing", undefined],
    ["call_open", "a.b", "succeeded", false, "open", "key of call_open"],
  ]);
  const table = await run("evidence", "lines.jsonl");
  expect(table.stdout).toMatch(/call_open +a\.b +succeeded +unverified +open +key of call_open/);
});
