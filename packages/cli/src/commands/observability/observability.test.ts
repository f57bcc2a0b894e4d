// Tests observations, progress and statistics against a complete Paraph, including the commands and the configuration
// of docs/guides/observations.md and docs/operate/statistics.md.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { files } from "@paraph/adapters/files";
import { CapabilityError, defineCapability, type ExecutionContext } from "@paraph/core";
import type { CallProgress } from "@paraph/sdk";
import { parseServerSentEvents } from "@paraph/sdk/api";
import { type Config, defineConfig } from "@paraph/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "../../../../../test/support/eventually.ts";
import { TestParaph } from "../../../../../test/support/servers/test-paraph.ts";
import { startCli } from "../../testing/run-cli.ts";

const page = (name: string) => readFile(new URL(`../../../../../docs/${name}`, import.meta.url), "utf8");
const blockOf = async (name: string, block: string) =>
  new RegExp(`<!-- test: ${block} -->\n\`\`\`[a-z]+\n([^\`]*(?:\`[^\`]+)*?)\n\`\`\``).exec(
    await page(name),
  )?.[1] ?? "";
const commandsOf = async (name: string) =>
  (await blockOf(name, "commands")).split("\n").map((line) => line.replace(/ +#.*/, "").split(/ +/).slice(1));

// The documentation page describes a deployment with one tenant. The test deployment has two tenants, so the adapter
// names its tenant.
const code = (await blockOf("guides/observations.md", "config"))
  .replace(/^import .*$/gm, "")
  .replace("export default", "return")
  .replace('files({ root: "inbox" })', 'files({ root: "inbox", tenants: ["acme"] })');
const config = new Function("defineConfig", "files", code)(defineConfig, files) as Config;

/** The behavior of `box.fill` for each call. The test that makes the call sets it. */
const filling = new Map<string, (context: ExecutionContext) => Promise<void>>();
const fill = (name: string, sensitive: readonly string[] = []) =>
  defineCapability({
    name,
    version: 1,
    summary: "Fill a box",
    effect: "write",
    idempotency: "natural",
    sensitive,
    input: z.object({ box: z.string() }),
    output: z.object({}),
    retry: { first: "1ms" },
    apply: async ({ box }, context) => {
      await filling.get(box)?.(context);
      return {};
    },
  });

const paraph = await TestParaph.start(
  {
    ...config,
    capabilities: [fill("box.put"), fill("box.hide", ["box"])],
    unattended: ["box.put", "box.hide"],
  },
  [
    { tenant: "acme", id: "owner", kind: "person" },
    { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
    { tenant: "acme", id: "other", kind: "agent", owner: "owner" },
    { tenant: "acme", id: "auditor", kind: "person", groups: ["paraph:auditors"] },
    { tenant: "evil", id: "eve", kind: "person", groups: ["paraph:auditors"] },
  ],
);
afterAll(() => paraph.stop());
const run = (...args: string[]) => paraph.cli({ person: "owner", agent: "bot" }, ...args);

/** Opens an event stream. When this returns, the stream has begun, so that later events are part of it. */
async function openEvents(
  as: string,
  path: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
) {
  const response = await fetch(paraph.url + path, {
    headers: { ...headers, accept: "text/event-stream", authorization: `Bearer ${paraph.key(as)}` },
    signal,
  });
  return parseServerSentEvents(response.body!.pipeThrough(new TextDecoderStream()));
}

describe("observations", () => {
  const inbox = (name: string) => join(paraph.folder, "inbox", name);
  const looked = async () => {
    const { body } = await paraph.request("owner", "GET", "/v1/polls");
    return body.polls[0];
  };
  beforeAll(async () => {
    await mkdir(join(paraph.folder, "inbox"));
    await eventually(async () => expect(await looked()).toHaveProperty("polledAt"));
  });

  it("reach a client that follows the events, and a client that resumes after its last event id", async () => {
    const end = new AbortController();
    const following = await openEvents("bot", "/v1/observations/events?kind=file.created", end.signal);
    await writeFile(inbox("a.txt"), "canary-content");
    await paraph.clockAhead(1);
    const { value } = await following.next();
    expect(value).toMatchObject({
      id: "1",
      event: "dev.paraph.observation.v1",
      data: { id: "obs_acme_1", type: "dev.paraph.observation.v1", data: { subject: "a.txt", seq: 1 } },
    });
    end.abort();
    await following.next().catch(() => {});

    await writeFile(inbox("b.txt"), "b");
    await paraph.clockAhead(2);
    const controller = new AbortController();
    const resumed = await openEvents("bot", "/v1/observations/events", controller.signal, {
      "last-event-id": "1",
    });
    expect((await resumed.next()).value).toMatchObject({
      id: "2",
      data: { data: { subject: "b.txt" } },
    });
    controller.abort();
    await resumed.next().catch(() => {});
  });

  it("are listed per tenant, and an `after` that is not a number is rejected", async () => {
    const { body } = await paraph.request("eve", "GET", "/v1/observations?after=0");
    const seen = await paraph.request("owner", "GET", "/v1/observations?after=0");
    expect(seen.body.observations).toMatchObject([{ subject: "a.txt" }, { subject: "b.txt" }]);
    // The adapter polls the folder for each configured tenant separately.
    expect(body.observations.every(({ seq }: { seq: number }) => seq <= body.next)).toBe(true);
    expect((await paraph.request("owner", "GET", "/v1/observations?after=no")).status).toBe(400);
  });

  it("are printed by the command line with --follow until SIGINT", async () => {
    const keys = { PARAPH_URL: paraph.url, PARAPH_APPROVER_KEY: paraph.key("owner") };
    const cli = startCli(["observations", "--follow", "--after", "0"], {
      folder: paraph.folder,
      environment: keys,
    });
    expect(await cli.firstLine).toMatch(/UTC {2}files {2}file\.created {2}a\.txt$/);
    cli.process.kill("SIGINT");
    expect((await cli.ended).code).toBe(130);
  });

  it("every command of docs/guides/observations.md runs", async () => {
    const commands = await commandsOf("guides/observations.md");
    expect(commands.length).toBeGreaterThan(3);
    const said = await Promise.all(commands.map((args) => run(...args)));
    expect(said.map(({ code, stderr }) => [code, stderr])).toEqual(commands.map(() => [0, ""]));
    expect(said[0]?.stdout).toMatch(/^NUMBER +SEEN +ADAPTER +KIND +SUBJECT\n +1 .*a\.txt\n/);
    expect(said[3]?.stdout).toMatch(/^ADAPTER +LAST POLL +NEXT POLL +FAILURES +REASON\nfiles /);
    expect(JSON.stringify([said, paraph.logged])).not.toContain("canary");
  });
});

describe("progress", () => {
  const row = () =>
    paraph.database.query("select call, output, put_out::int as put_out from paraph.progress");

  it("is visible during the attempt to principals that may see the call, and is deleted after it", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    filling.set("slow", async ({ progress }) => {
      progress({ fraction: 0.5, message: "half", output: "one\n" });
      await promise;
    });
    const client = paraph.agent("bot");
    const { call } = await client.call("box.put", { box: "slow" });
    const said: CallProgress[] = [];
    const kinds: string[] = [];
    const progress = (one: CallProgress) => {
      said.push(one);
      resolve();
    };
    for await (const { type } of client.events(call, { progress })) kinds.push(type.split(".").at(-2)!);
    expect(said[0]).toEqual({ attempt: 1, fraction: 0.5, message: "half", output: "one\n" });
    expect(kinds.at(-1)).toBe("succeeded");
    expect(kinds).not.toContain("progress");
    expect(await row()).toEqual([]);
    expect((await paraph.request("other", "GET", `/v1/calls/${call}/events`)).status).toBe(404);
  });

  it("contains the output since the last report, which the command line prints escaped and with a prefix", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    filling.set("lines", async ({ progress }) => {
      progress({ output: "first \u001b[31m\n" });
      await eventually(async () => expect(await row()).toHaveLength(1));
      progress({ output: "second\n" });
      await promise;
    });
    const keys = { PARAPH_URL: paraph.url, PARAPH_KEY: paraph.key("bot") };
    const cli = startCli(["call", "box.put", "box=lines"], { folder: paraph.folder, environment: keys });
    let said = "";
    cli.process.stderr?.on("data", (text: string) => {
      said += text;
      if (said.includes("second")) resolve();
    });
    const { code, stderr } = await cli.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining("  | first <U+001B>[31m\n  | second\n")]);
  });

  it("[TRUST 16] contains no output if the contract has sensitive fields", async () => {
    filling.set("secret", async ({ progress }) => {
      progress({ message: "so far", output: "canary-output" });
      await eventually(async () => expect(await row()).toHaveLength(1));
      expect(await row()).toMatchObject([{ output: "", put_out: 0 }]);
    });
    expect((await paraph.agent("bot").call("box.hide", { box: "secret" }, { waitMs: 30_000 })).kind).toBe(
      "succeeded",
    );
  });
});

describe("statistics", () => {
  it("count the outcomes of all the tenant's calls for a person, and of its own calls for an agent", async () => {
    let tries = 0;
    filling.set("weak", async () => {
      if (++tries < 3) throw new CapabilityError("not-performed", "box-unavailable", "canary-words");
    });
    filling.set("broken", async () => {
      throw new CapabilityError("permanent", "box-broken", "canary-words");
    });
    const put = (as: string, box: string) => paraph.agent(as).call("box.put", { box }, { waitMs: 30_000 });
    expect((await put("other", "weak")).kind).toBe("succeeded");
    const broken = await put("other", "broken");
    expect(broken.kind).toBe("failed");

    const read = async (as: string, query: string) =>
      (await paraph.request(as, "GET", `/v1/statistics?${query}`)).body;
    const own = await read("other", "by=both");
    expect(own.statistics).toMatchObject([
      {
        capability: "box.put",
        principal: "other",
        calls: 2,
        outcomes: { succeeded: 1, failed: 1 },
        successRate: 0.5,
        retries: 2,
        spent: 0,
      },
    ]);
    expect(own.errors).toEqual([
      {
        call: broken.call,
        capability: "box.put",
        principal: "other",
        outcome: "failed",
        code: "box-broken",
        at: expect.any(String),
      },
    ]);
    const all = await read("owner", "capability=box.put");
    expect(all.statistics).toMatchObject([{ capability: "box.put", calls: 4 }]);
    expect(all.statistics[0]).not.toHaveProperty("principal");
    expect(all.statistics[0].actingMs.p95).toBeGreaterThanOrEqual(all.statistics[0].actingMs.p50);
    expect((await read("eve", "")).statistics).toEqual([]);
    expect(JSON.stringify([own, all])).not.toContain("canary");
  });

  it("every command of docs/operate/statistics.md runs", async () => {
    const commands = await commandsOf("operate/statistics.md");
    expect(commands.length).toBeGreaterThan(3);
    const said = await Promise.all(commands.map((args) => run(...args)));
    expect(said.map(({ code }) => code)).toEqual(commands.map(() => 0));
    expect(said[0]?.stdout).toMatch(
      /^CAPABILITY +CALLS +SUCCEEDED +P50 +P95 +RETRIES +SPENT +TOKENS +MAIN REASON\nbox\.put /,
    );
    expect(said[0]?.stderr).toMatch(/failed \(box-broken\)/);
    const json = said[commands.findIndex((args) => args.includes("--json"))];
    expect(JSON.parse(json!.stdout).statistics).toMatchObject([{ calls: expect.any(Number) }, {}]);
  });
});

describe("top", () => {
  const top = (...args: string[]) => paraph.cli({ person: "auditor" }, "top", ...args);

  it("shows an auditor recent outcomes, locks and slow adapters of the own tenant, in 80 columns and 24 rows", async () => {
    await paraph.agent("bot").call("box.put", { box: "quick" }, { waitMs: 30_000 });
    await paraph.database.query("insert into paraph.lock values ('acme', 'box', 'call_1')");
    const [json, text, other] = await Promise.all([
      top("--once", "--json"),
      // Without a terminal, the numbers are shown once.
      top(),
      paraph.request("eve", "GET", "/v1/load"),
    ]);
    await paraph.database.query("delete from paraph.lock where key = 'box'");
    const number = expect.any(Number);
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
      0,
      {
        outcomes: { seconds: 60, counts: { succeeded: number } },
        approvals: { count: 0 },
        ...{ locksHeld: 1, stuck: 0, unknown: 0 },
        adapters: {
          seconds: 300,
          slowest: [{ adapter: "box", calls: number, p50Ms: number, p95Ms: number }],
        },
      },
    ]);
    expect(other.body).toMatchObject({
      ...{ locksHeld: 0, outcomes: { counts: {} }, adapters: { slowest: [] } },
    });

    expect(text.stdout).toMatch(/^Load {2}20\d\d-/);
    expect(text.stdout).toMatch(/^ {2}succeeded +\d+\.\d\d {2}failed +\d+\.\d\d {2}unknown/m);
    expect(text.stdout).toMatch(/^Open approvals: 0 +Calls and locks\n {2}under 5 min +0 +due +0$/m);
    expect(text.stdout).toMatch(/^ {2}box +\d+ +[\d.]+ m?s +[\d.]+ m?s$/m);
    const lines = text.stdout.split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(text.stdout).not.toContain("\u001b");
  });

  it("goes on until SIGINT, with one JSON object per line", async () => {
    const keys = { PARAPH_URL: paraph.url, PARAPH_APPROVER_KEY: paraph.key("auditor") };
    const cli = startCli(["top", "--json"], { folder: paraph.folder, environment: keys });
    expect(JSON.parse(await cli.firstLine)).toHaveProperty("due");
    cli.process.kill("SIGINT");
    expect((await cli.ended).code).toBe(130);
  });

  it("is refused to people who are neither administrators nor auditors", async () => {
    const { code, stderr } = await paraph.cli({ person: "owner" }, "top");
    expect([code, stderr]).toEqual([3, expect.stringContaining("Only administrators and auditors")]);
  });
});
