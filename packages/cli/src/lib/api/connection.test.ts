import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalRecord, readProcessStart, writeRecord } from "@paraph/server/local-record";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "../../testing/run-cli.ts";
import { startTestServer } from "../../testing/test-server.ts";

let folder: string;
let url: string;
/** The keys that were sent to a server that is not Paraph. */
let sent: (string | undefined)[];

beforeEach(async () => {
  sent = [];
  const server = await startTestServer((request, response) => {
    sent.push(request.headers.authorization);
    response.end("{}");
  });
  onTestFinished(server.remove);
  ({ folder, url } = server);
  await mkdir(join(folder, ".paraph"));
});

const own = { PARAPH_APPROVER_KEY: "the-approvers-key", PARAPH_KEY: "the-agents-key" };
const commands = [
  ["approvals"],
  ["calls"],
  ["call", "a.b"],
  ["approve", "last", "--yes"],
  ["mcp"],
  ["doctor"],
];
const run = (args: readonly string[], environment: Record<string, string> = own) =>
  runCli(args, { folder, environment, input: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' });
const record = (running?: LocalRecord["running"]) =>
  writeRecord(
    join(folder, ".paraph"),
    { HOME: folder },
    { url, agent: "recorded-agent", owner: "recorded-owner", keys: [], ...(running && { running }) },
  );

describe("[TRUST 31] the CLI sends keys only to a server that the user named, or that the user runs", () => {
  it("sends no key to a server named by a file in the folder, whichever file it is", async () => {
    const port = Number(new URL(url).port);
    const running = { url, pid: process.pid, postgres: port };
    const state = { http: port, agent: "a", owner: "o", databasePassword: "x" };
    await writeFile(join(folder, ".paraph/state.json"), JSON.stringify(state));
    await writeFile(join(folder, ".paraph/running.json"), JSON.stringify(running));
    await writeFile(join(folder, ".env"), `PARAPH_URL=${url}\n`);
    for (const args of commands) expect((await run(args)).code).not.toBe(0);
    expect(sent).toEqual([]);
  });

  it("sends no key to a recorded server that has stopped or is on another machine", async () => {
    const started = readProcessStart(process.pid);
    for (const running of [
      undefined,
      { url, pid: 2 ** 30, started },
      { url: "http://192.0.2.1", pid: process.pid, started },
    ]) {
      await record(running);
      const { code, stderr } = await run(["approvals"]);
      expect(code).not.toBe(0);
      expect(stderr).toContain("Paraph is not running for");
    }
    expect(sent).toEqual([]);
  });

  it("sends no key to a server on the port of an ended process whose pid was reused", async () => {
    for (const started of [
      "",
      "before",
      `${readProcessStart(process.pid)}0`,
      readProcessStart(process.ppid),
    ]) {
      await record({ url, pid: process.pid, started });
      expect((await run(["approvals"])).stderr).toContain("Paraph is not running for");
    }
    expect(sent).toEqual([]);
  });

  it("sends the environment's key to a named address, and the recorded key to the recorded server", async () => {
    await record({ url, pid: process.pid, started: readProcessStart(process.pid) });
    expect((await run(["approvals"])).stderr).toContain("Set PARAPH_URL or pass `--url`");
    await run(["approvals"], { PARAPH_KEY: "the-agents-key" });
    await run(["approvals"], { ...own, PARAPH_URL: url });
    await run(["approvals", "--url", url]);
    expect(sent).toEqual(
      ["recorded-owner", "the-approvers-key", "the-approvers-key"].map((key) => `Bearer ${key}`),
    );
  });
});
