// Tests the real coding agents with `paraph hook` in their settings and a complete Paraph server. A model on loopback
// makes the agents use tools.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { codingAgent } from "@paraph/adapters/coding-agent";
import { verify } from "@paraph/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkHooks } from "../../packages/cli/src/commands/doctor/hook-checks.ts";
import { runCli } from "../../packages/cli/src/testing/run-cli.ts";
import { TestParaph } from "../support/servers/test-paraph.ts";
import { binaries, isInstalled } from "./installed.ts";
import { type ModelTurn, startModelServer } from "./model-server.ts";

/** A coding agent, started without a person. Its own rules allow everything, so that only the hook restrains it. */
interface Agent {
  readonly client: string;
  readonly binary: string;
  /** Returns the model's use of the agent's shell tool. */
  readonly shell: (command: string) => ModelTurn;
  readonly args: readonly string[];
  readonly env: (model: string, home: string) => Record<string, string>;
  readonly furnish?: (model: string, home: string) => Promise<unknown>;
}

const agents: readonly Agent[] = [
  {
    client: "claude-code",
    binary: "claude",
    shell: (command) => ({ tool: "Bash", input: { command, description: "as asked" } }),
    args: ["-p", "go on", "--allowedTools", "Bash"],
    env: (model) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "sk-loopback",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
  },
  {
    client: "codex",
    binary: "codex",
    shell: (cmd) => ({ tool: "exec_command", input: { cmd } }),
    args: [
      ...["exec", "--skip-git-repo-check", "-m", "gpt-5", "--dangerously-bypass-approvals-and-sandbox"],
      // This option stands in for a person who trusts the hook with `/hooks`.
      ...["--dangerously-bypass-hook-trust", "go on"],
    ],
    env: () => ({ CODEX_API_KEY: "sk-loopback" }),
    furnish: (model, home) =>
      put(
        join(home, ".codex/config.toml"),
        `model_provider = "loopback"\nmodel_providers.loopback = { name = "loopback", base_url = "${model}/v1", env_key = "CODEX_API_KEY" }\n`,
      ),
  },
  {
    client: "gemini",
    binary: "gemini",
    shell: (command) => ({ tool: "run_shell_command", input: { command, description: "as asked" } }),
    args: ["-p", "go on", "-m", "gemini-2.5-flash", "--yolo", "--skip-trust"],
    env: (model, home) => ({
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_API_KEY: "sk-loopback",
      GEMINI_CLI_HOME: home,
    }),
    furnish: (_, home) =>
      put(
        join(home, ".gemini/settings.json"),
        JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
      ),
  },
];

describe.runIf(isInstalled)("coding agents with a hook", () => {
  let paraph: TestParaph;
  beforeAll(async () => {
    paraph = await TestParaph.start({ adapters: { agent: codingAgent({}) } }, [
      { tenant: "acme", id: "owner", kind: "person" },
      { tenant: "acme", id: "ana", kind: "person" },
      { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
    ]);
  });
  afterAll(() => paraph.stop());

  describe.each(agents)("$client", (agent) => {
    it("[P4] [P5] runs an approved command once, with its performer in the receipt, and none if denied or without Paraph", async () => {
      await using there = await furnished(agent, paraph, 60);
      expect(await there.doctor()).toMatch(
        agent.client === "codex" ? /does not trust the hook/ : /hook works/,
      );
      const running = there.run([
        agent.shell("echo ran >> approved.txt"),
        agent.shell("echo ran > denied.txt"),
      ]);
      const call = await asked(paraph);
      expect(existsSync(there.file("approved.txt"))).toBe(false);
      await decide(paraph, call, "approve");
      await decide(paraph, await asked(paraph, call), "deny", "Not today.");
      expect(await running).toContain("Not today.");
      expect(await readFile(there.file("approved.txt"), "utf8")).toBe("ran\n");
      expect(existsSync(there.file("denied.txt"))).toBe(false);
      const { story } = await verify(
        await paraph.agent("bot").receipt(call),
        await paraph.agent("bot").keys(),
      );
      expect([story.performer, story.outcome.kind]).toEqual(["agent", "succeeded"]);

      await there.unavailable();
      expect(await there.run([agent.shell("echo ran > away.txt")])).toContain("could not rule on it");
      expect(existsSync(there.file("away.txt"))).toBe(false);
    });
  });

  it("[P5] the agent repeats a pending command later, and a command that was approved meanwhile runs once", async () => {
    const [agent] = agents;
    await using there = await furnished(agent!, paraph, 0);
    const command = agent!.shell("echo ran >> later.txt");
    expect(await there.run([command], ["--session-id", session])).toContain("this is pending in Paraph");
    const call = await asked(paraph);
    await decide(paraph, call, "approve");
    await offered(paraph, call);
    // This is the next turn of the same conversation, in another process.
    await there.run([command, command], ["--resume", session]);
    expect(await readFile(there.file("later.txt"), "utf8")).toBe("ran\n");
    const { body } = await paraph.request("ana", "GET", `/v1/calls/${call}`);
    expect(body).toMatchObject({ outcome: { kind: "succeeded" }, output: { ended: "well", exitCode: 0 } });
  });
});
const session = "6f1d1f0e-8f0a-4c58-9d34-0d5b6a3c2e11";

/** Creates a home with the hook in the agent's settings, as `paraph hook install` writes it, and a working folder. */
async function furnished(agent: Agent, paraph: TestParaph, wait: number) {
  const home = await mkdtemp(join(tmpdir(), "paraph-hooked-"));
  const work = join(home, "work");
  await mkdir(work);
  const turns: ModelTurn[] = [];
  const model = await startModelServer(() => turns.shift() ?? "That is all.");
  await agent.furnish?.(model.url, home);
  const environment = { PATH: "/usr/bin:/bin", HOME: home, PARAPH_KEY: paraph.key("bot") };
  const install = (url: string) =>
    runCli(["hook", "install", agent.client, "--yes", "--wait", String(wait), "--url", url], {
      folder: work,
      environment,
    });
  const { code, stderr } = await install(paraph.url);
  if (code !== 0) throw new Error(stderr);
  return {
    file: (name: string) => join(work, name),
    unavailable: () => install("http://127.0.0.1:9"),
    doctor: async () => {
      const path = `${binaries}:${dirname(process.execPath)}:/usr/bin:/bin`;
      const checks = await checkHooks({
        folder: work,
        environment: { ...environment, PATH: path },
        url: undefined,
      });
      return checks.map(({ message }) => message).join();
    },
    /** Lets the model use these tools, and returns the last text that the model received. */
    async run(uses: readonly ModelTurn[], more: readonly string[] = []): Promise<string> {
      turns.splice(0, turns.length, ...uses);
      const child = spawn(join(binaries, agent.binary), [...agent.args, ...more], {
        cwd: work,
        env: {
          ...environment,
          PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
          ...agent.env(model.url, home),
        },
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      const ended = await new Promise<number | null>((resolve) => child.once("close", resolve));
      if (ended !== 0) throw new Error(`${agent.binary} ended with ${ended}: ${said}`);
      return model.requests.at(-1)!.body;
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Waits for an open approval of a call other than `earlier`, and returns that call. */
async function asked(paraph: TestParaph, earlier?: string): Promise<string> {
  const open = async (): Promise<string | undefined> => {
    const { body } = await paraph.request("ana", "GET", "/v1/approvals?status=open");
    return body.approvals.map(({ call }: { call: string }) => call).find((call: string) => call !== earlier);
  };
  await expect.poll(open, { interval: 50 }).toBeDefined();
  return (await open())!;
}

async function offered(paraph: TestParaph, call: string): Promise<void> {
  await paraph.agent("bot").wait(call, { timeoutMs: 120_000 });
}

async function decide(paraph: TestParaph, call: string, decision: "approve" | "deny", reason?: string) {
  const { body } = await paraph.request("ana", "GET", `/v1/calls/${call}`);
  const { id, digest } = body.waiting.approval;
  const said = { decision, digest, ...(reason !== undefined && { reason }) };
  const { status } = await paraph.request("ana", "POST", `/v1/approvals/${id}/decision`, said);
  expect(status).toBe(200);
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
