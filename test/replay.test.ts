import { readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRecord } from "@paraph/server/local-record";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningCli, runCli, startCli } from "../packages/cli/src/testing/run-cli.ts";
import { approveByFingerprint, fillPlaceholders } from "./support/approve-by-fingerprint.ts";

const guide = readFileSync(new URL("../docs/operate/replay.md", import.meta.url), "utf8");
let folder: string;
let dev: RunningCli | undefined;
const run = (...args: string[]) => runCli(args, { folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-replay-"));
  // PostgreSQL does not run as root, so its own user needs to traverse this folder.
  await chmod(folder, 0o711);
  dev = startCli(["dev", "--json"], { folder });
  await dev.firstLine;
});

afterAll(async () => {
  dev?.process.kill("SIGTERM");
  await dev?.ended;
  await rm(folder, { recursive: true, force: true });
});

/** Masks the parts that differ in each run: ids, times and durations. */
function timeless(text: string): string {
  return text
    .replace(/\b(call|ask)_[0-9a-z]+/g, "$1_…")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, "TIME")
    .replace(/(\+|in )\d+(\.\d+)? (ms|s|min) */g, "$1… ")
    .trim();
}

/** Runs SQL as an operator who has the database login and writes without Paraph. */
async function asOperator(sql: string): Promise<void> {
  const { running } = (await readRecord(join(folder, ".paraph"), { HOME: folder }))!;
  const password = await readFile(join(folder, ".paraph/postgres/password"), "utf8");
  const owner = new Client({
    host: "127.0.0.1",
    port: running!.postgres,
    user: "postgres",
    database: "paraph",
    password,
  });
  await owner.connect();
  try {
    await owner.query(sql);
  } finally {
    await owner.end();
  }
}

it("docs/operate/replay.md: the commands print what the page shows, and find a change made outside Paraph", async () => {
  const blocks = [...guide.matchAll(/```(console|sql)\n([\s\S]*?)```/g)];
  for (const [, language, text = ""] of blocks) {
    if (language === "sql") {
      await asOperator(text);
      continue;
    }
    for (const session of text.split(/^\$ paraph /m).slice(1)) {
      const [command = "", ...shown] = session.split("\n");
      const { stdout, code } = await run(...(await fillPlaceholders(run, command.split(" "))));
      const wrong = shown.some((line) => line.startsWith("✘"));
      if (command.startsWith("replay")) expect([command, code]).toEqual([command, wrong ? 1 : 0]);
      if (!command.endsWith("--json")) expect(timeless(stdout)).toBe(timeless(shown.join("\n")));
    }
  }
});

it("paraph replay --json prints one object per event, with the rows after that event", async () => {
  const { stdout, code } = await runCli(["replay", "last", "--json"], { folder });
  const steps = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(steps.map(({ seq, kind, rows }) => [seq, kind, rows.state])).toEqual([
    ...[
      [1, "accepted", "previewing"],
      [2, "ruled", "previewing"],
      [3, "asked", "asking"],
      [4, "voted", "asking"],
    ],
    ...[
      [5, "round-closed", "ready"],
      [6, "locked", "ready"],
      [7, "intended", "performing"],
    ],
    ...[
      [8, "attempted", "performing"],
      [9, "closed", "closed"],
    ],
  ]);
  expect(steps.at(-1)).toMatchObject({ rows: { outcome: { kind: "succeeded", code: "done" } } });
});

it("[P13] paraph replay shows a plan with its steps in the order in which their events happened", async () => {
  const step = (id: string) => ({ id, capability: "files.write", input: { path: `${id}.txt`, content: id } });
  const plan = { version: 1, steps: [step("first"), { ...step("second"), after: ["first"] }] };
  await writeFile(join(folder, "plan.json"), JSON.stringify(plan));
  const { stdout: result } = await runCli(["plan", "plan.json", "--json"], { folder });
  await approveByFingerprint(run, "last", "--json");
  const { call } = JSON.parse(result);
  const { stdout } = await runCli(["replay", call, "--json"], { folder });
  const told = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const places = told.filter(({ kind }) => ["accepted", "began", "stepped", "closed"].includes(kind));
  expect(places.map(({ step, kind }) => `${step ?? "plan"} ${kind}`)).toEqual([
    ...["plan accepted", "plan began", "first accepted", "first closed", "plan stepped"],
    ...["second accepted", "second closed", "plan stepped", "plan closed"],
  ]);
  const { stdout: checked } = await runCli(["replay", call, "--check"], { folder });
  expect(checked).toContain("✔ 3 calls rebuilt");
});

it("paraph replay reports a missing argument, an unknown call and a missing --tenant", async () => {
  expect(await runCli(["replay"], { folder })).toMatchObject({ code: 2 });
  expect(await runCli(["replay", "call_0", "--check"], { folder })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no call `call_0` in the tenant `local`"),
  });
  expect(await runCli(["replay", "--check", "--database", "postgres://x"], { folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--tenant"),
  });
});
