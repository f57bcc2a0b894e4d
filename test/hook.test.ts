// Tests `paraph hook` with a complete Paraph server. Each event starts a process, as with real clients.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { codingAgent } from "@paraph/adapters/coding-agent";
import { afterAll, describe, expect, it } from "vitest";
import type { DoctorCheck } from "../packages/cli/src/commands/doctor/checks.ts";
import { checkHooks } from "../packages/cli/src/commands/doctor/hook-checks.ts";
import { runCli } from "../packages/cli/src/testing/run-cli.ts";
import { readHookDecision, readHookReason, runHook } from "./support/run-hook.ts";
import { TestParaph } from "./support/servers/test-paraph.ts";

const folder = await mkdtemp(join(tmpdir(), "paraph-hook-"));
const paraph = await TestParaph.start(
  {
    adapters: { agent: codingAgent({ risk: { bash: "medium" } }) },
    rules: [
      { capability: "agent.bash", when: { "input.command": { is: "npm test" } }, allow: "unattended" },
      { capability: "agent.bash", when: { "input.command": { is: "rm -rf /" } }, block: true },
    ],
  },
  [
    { tenant: "acme", id: "owner", kind: "person" },
    { tenant: "acme", id: "ana", kind: "person" },
    { tenant: "acme", id: "bea", kind: "person" },
    { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
  ],
);
afterAll(async () => {
  await paraph.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Sends one event to the hook, as a client does. */
function hook(
  event: object | string,
  { client = "claude-code", wait = 0, url = paraph.url, args = [] as string[] } = {},
) {
  const said = typeof event === "string" ? event : JSON.stringify({ ...common, ...event });
  const environment = { PARAPH_URL: url, PARAPH_KEY: paraph.key("bot") };
  return runHook([client, "--wait", String(wait), ...args], said, { folder, environment });
}
const common = { session_id: "s1", cwd: folder, hook_event_name: "PreToolUse" };
const bash = (command: string, use: string) => ({
  tool_name: "Bash",
  tool_input: { command, description: `about ${use}` },
  tool_use_id: use,
});

async function calls(capability: string) {
  const { body } = await paraph.request("ana", "GET", `/v1/calls?capability=${capability}&limit=100`);
  return body.calls;
}
async function call(id: string) {
  return (await paraph.request("ana", "GET", `/v1/calls/${id}`)).body;
}
async function decide(id: string, decision: string, more: object = {}, by = "ana") {
  const { approval } = (await call(id)).waiting;
  const path = decision === "edit" ? "edit" : "decision";
  const said = decision === "edit" ? more : { decision, ...more };
  const { status } = await paraph.request(by, "POST", `/v1/approvals/${approval.id}/${path}`, {
    digest: approval.digest,
    ...said,
  });
  expect(status).toBeLessThan(300);
}

describe("before a tool is used", () => {
  it("[P4] the hook claims an allowed call, leaves the decision to the client's rules, and a report closes the call", async () => {
    const use = bash("npm test", "use-1");
    expect(await hook(use)).toMatchObject({ code: 0, said: undefined });
    const [open] = await calls("agent.bash");
    expect(open).toMatchObject({ state: "performing" });
    await hook({ ...use, hook_event_name: "PostToolUse", tool_response: { stdout: "secret words" } });
    const ended = await call(open.call);
    expect(ended).toMatchObject({
      outcome: { kind: "succeeded" },
      performer: "agent",
      purpose: { text: "about use-1" },
      output: { ended: "well", exitCode: 0 },
    });
    // [P10] The output has sizes and codes, and never contents.
    expect(JSON.stringify(ended)).not.toContain("secret words");
    const receipt = await paraph.agent("bot").receipt(open.call);
    const story = JSON.parse(Buffer.from(receipt.envelope.payload, "base64").toString());
    expect(story.predicate.performer).toBe("agent");
  });

  it("[P4] the hook denies a tool use that policy blocks, and gives the model the reason", async () => {
    const refused = await hook(bash("rm -rf /", "use-2"));
    expect(readHookDecision(refused)).toBe("deny");
    expect(readHookReason(refused)).toMatch(/policy does not allow this \(.*call /);
  });

  it("[P5] a repeated request joins the pending call, the agent gets the approval page, and the approval allows one use", async () => {
    const first = await hook(bash("deploy", "use-3"));
    expect(readHookReason(first)).toMatch(/^Not done yet: this is pending in Paraph \(call .*\/approvals\//);
    const again = await hook(bash("deploy", "use-4"));
    const [one, other] = (await calls("agent.bash")).filter(
      ({ state }: { state: string }) => state === "asking",
    );
    expect(other).toBeUndefined();
    expect(readHookReason(again)).toContain(one.call);
    await decide(one.call, "approve");
    expect(readHookDecision(await hook(bash("deploy", "use-5"), { wait: 100 }))).toBe("allow");
    // The approval counts once. While the tool runs and afterwards, the same use is a new request.
    expect(readHookReason(await hook(bash("deploy", "use-6")))).not.toContain(one.call);
    await hook({
      ...bash("deploy", "use-5"),
      hook_event_name: "PostToolUseFailure",
      error: "Exit code 3\nno",
    });
    expect(await call(one.call)).toMatchObject({
      outcome: { kind: "succeeded" },
      output: { ended: "badly", exitCode: 3 },
    });
    expect(readHookDecision(await hook(bash("deploy", "use-7")))).toBe("deny");
  });

  it("[P4] a denial given while no hook waits is reported once, with the approver's reason", async () => {
    const result = await hook(bash("drop tables", "use-8"));
    const [id] = /call [0-9a-z_-]+/i.exec(readHookReason(result))!;
    await decide(id.slice(5), "deny", { reason: "Not on a Friday." });
    const hookResult = await hook(bash("drop tables", "use-9"));
    expect(readHookReason(hookResult)).toContain("a person denied it");
    expect(readHookReason(hookResult)).toContain("Not on a Friday.");
    expect(readHookReason(await hook(bash("drop tables", "use-10")))).toContain("this is pending in Paraph");
  });

  it("[P6] the hook allows a command with the input that a person edited", async () => {
    const result = await hook(bash("rm build", "use-11"));
    const [id] = /call [0-9a-z_-]+/i.exec(readHookReason(result))!;
    const { input } = await call(id.slice(5));
    await decide(id.slice(5), "edit", { input: { ...input, command: "rm -i build" }, reason: "Safer." });
    const { successor } = await call(id.slice(5));
    await decide(successor, "approve", {}, "bea");
    const { said } = await hook(bash("rm build", "use-11b"), { wait: 100 });
    expect(said.hookSpecificOutput).toMatchObject({
      permissionDecision: "allow",
      updatedInput: { command: "rm -i build" },
    });
  });

  it("[P3] an edit is previewed as a diff of the current file, and a changed file needs a new approval", async () => {
    await writeFile(join(folder, "a.txt"), "one\ntwo\n");
    const edit = {
      tool_name: "Edit",
      tool_input: { file_path: join(folder, "a.txt"), old_string: "two", new_string: "three" },
    };
    const result = await hook({ ...edit, tool_use_id: "use-12" });
    const [id] = /call [0-9a-z_-]+/i.exec(readHookReason(result))!;
    expect((await call(id.slice(5))).preview.changes[0].diff).toContain("-two\n+three\n");
    await decide(id.slice(5), "approve");
    await writeFile(join(folder, "a.txt"), "zero\ntwo\n");
    expect(readHookReason(await hook({ ...edit, tool_use_id: "use-13" }))).toContain("this is pending");
  });

  it("the hook skips tools of Paraph's own MCP server, and asks about all others", async () => {
    const servers = {
      paraph: { type: "http", url: `${paraph.url}/mcp` },
      "my notes": { type: "http", url: `${paraph.url}/mcp/notes` },
      bridged: {
        command: process.execPath,
        args: [
          fileURLToPath(new URL("../packages/cli/src/main.ts", import.meta.url)),
          "mcp",
          "--url",
          paraph.url,
        ],
      },
      // The hook ignores names. These two entries do not lead to Paraph's MCP surface.
      elsewhere: { type: "http", url: "http://127.0.0.1:9/mcp" },
      pages: { type: "http", url: `${paraph.url}/approvals` },
    };
    await writeFile(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
    for (const name of ["paraph", "my_notes", "bridged"]) {
      const use = { tool_name: `mcp__${name}__list`, tool_use_id: name };
      expect(await hook(use)).toMatchObject({ code: 0, said: undefined });
    }
    expect(await calls("agent.mcp")).toEqual([]);
    // If two files disagree, the hook cannot know which one applies.
    const contrary = { mcpServers: { paraph: { command: "something-else" } } };
    await writeFile(join(folder, ".claude.json"), JSON.stringify(contrary));
    for (const [tool_name, capability] of [
      ["mcp__github__delete_repo", "agent.mcp"],
      ["mcp__elsewhere__list", "agent.mcp"],
      ["mcp__pages__list", "agent.mcp"],
      ["mcp__paraph__list", "agent.mcp"],
      ["NeverHeardOf", "agent.unknown"],
      // The tool is known, but its input is not.
      ["Bash", "agent.unknown"],
    ] as const) {
      const before = (await calls(capability)).length;
      expect(
        readHookDecision(await hook({ tool_name, tool_input: { a: tool_name }, tool_use_id: tool_name })),
      ).toBe("deny");
      expect(await calls(capability)).toHaveLength(before + 1);
    }
  });
});

describe("[P11] the hook blocks the tool use if", () => {
  const use = bash("npm test", "use-20");
  it.each<[string, object | string, object]>([
    ["what the client says is no JSON", '{"tool_input": s3cret', {}],
    ["nothing is said", "", {}],
    ["the event is unknown", { ...use, hook_event_name: "Surprise" }, {}],
    ["there is no session", { ...use, session_id: undefined }, {}],
    ["the input is no object", { ...use, tool_input: "x" }, {}],
    ["Paraph is away", use, { url: "http://127.0.0.1:9" }],
    ["the address is none", use, { url: "nowhere" }],
    ["the client is unknown", use, { client: "emacs" }],
    ["the adapter is not configured", use, { args: ["--adapter", "other"] }],
    ["an option is unknown", use, { args: ["--allow"] }],
    // The arguments of the command take precedence over the environment, because a project's settings can set the
    // environment.
    ["the command names a folder without Paraph", use, { args: ["--folder", "/"] }],
    ["the command names another Paraph", use, { args: ["--url", "http://127.0.0.1:9"] }],
  ])("%s", async (_, event, options) => {
    const { code, said, stderr } = await hook(event, options);
    expect([code, said]).toEqual([2, undefined]);
    expect(stderr).toContain("Not done, because Paraph could not rule on it");
    expect(stderr).not.toContain("s3cret");
  });
});

it("[P2] a report that cannot be delivered does not stop the agent, and the call stays in performing", async () => {
  const use = bash("npm test", "use-30");
  await hook(use);
  const post = { ...use, hook_event_name: "PostToolUse", tool_response: {} };
  const { code, said, stderr } = await hook(post, { url: "http://127.0.0.1:9" });
  expect([code, said]).toEqual([0, undefined]);
  expect(stderr).toContain("Paraph did not receive the result of this tool use");
  expect((await calls("agent.bash"))[0]).toMatchObject({ state: "performing" });
});

it("[P5] two identical concurrent tool uses are allowed, each with its own call", async () => {
  const uses = [bash("npm test", "use-31"), bash("npm test", "use-32")];
  const before = (await calls("agent.bash")).length;
  for (const { code, said } of await Promise.all(uses.map((use) => hook({ ...use, session_id: "twins" }))))
    expect([code, said]).toEqual([0, undefined]);
  const [one, other, ...rest] = await calls("agent.bash");
  expect(rest).toHaveLength(before);
  expect([one.state, other.state]).toEqual(["performing", "performing"]);
  for (const use of uses)
    await hook({ ...use, session_id: "twins", hook_event_name: "PostToolUse", tool_response: {} });
  for (const { call: id } of [one, other])
    expect(await call(id)).toMatchObject({ outcome: { kind: "succeeded" } });
});

describe("other clients", () => {
  it.each(["codex", "gemini"])(
    "%s gets an answer in its own format, and its report closes the call",
    async (client) => {
      const [pre, post, tool_name] =
        client === "gemini"
          ? ["BeforeTool", "AfterTool", "run_shell_command"]
          : ["PreToolUse", "PostToolUse", "Bash"];
      const event = { session_id: client, tool_name, tool_input: { command: "npm test" } };
      expect(await hook({ ...event, hook_event_name: pre }, { client })).toMatchObject({
        code: 0,
        said: undefined,
      });
      const answer = client === "gemini" ? { llmContent: "Output: x\nExit Code: 3" } : "x";
      await hook({ ...event, hook_event_name: post, tool_response: answer }, { client });
      const [ended] = await calls("agent.bash");
      expect((await call(ended.call)).output).toMatchObject(
        client === "gemini" ? { ended: "badly", exitCode: 3 } : { ended: "well", bytes: 1 },
      );
      const { said } = await hook(
        { ...event, tool_input: { command: "rm -rf /" }, hook_event_name: pre },
        { client },
      );
      const words = client === "gemini" ? said.reason : said.hookSpecificOutput.permissionDecisionReason;
      expect(words).toContain("policy does not allow this");
    },
  );
});

describe("the hook in a client's settings", () => {
  const home = join(folder, "home");
  const settings = join(home, ".claude/settings.json");
  const original = '{\n  // mine\n  "model": "opus"\n}\n';
  const environment = { HOME: home, PARAPH_URL: paraph.url, PARAPH_KEY: paraph.key("bot") };
  const cli = (...args: string[]) => runCli(args, { folder, environment });
  const told = (checks: readonly DoctorCheck[]) => {
    const { state, message } = checks.find(({ name }) => name === "Claude Code")!;
    return `${state}: ${message}`;
  };
  const found = async () => told(await checkHooks({ folder, environment, url: undefined }));

  it("is previewed, installed, tested by the doctor's canary, and removed byte for byte", async () => {
    await mkdir(join(home, ".claude"), { recursive: true });
    await writeFile(settings, original);
    expect(await found()).toBe(
      "warn: installed, but without a hook that asks Paraph before the client uses its own tools",
    );

    const result = await cli("hook", "install", "claude-code");
    expect(result.stdout).toContain('"hooks": {');
    expect(await readFile(settings, "utf8")).toBe(original);

    await cli("hook", "install", "claude-code", "--yes");
    const written = await readFile(settings, "utf8");
    expect(written).toContain("// mine");
    const [pre] = JSON.parse(written.replace("// mine", "")).hooks.PreToolUse;
    expect(pre.hooks[0]).toMatchObject({ type: "command", timeout: 360, onFailure: "block" });
    expect(pre.hooks[0].command).toMatch(/hook run claude-code .*--wait 300 \|\| exit 2$/);
    // The client's settings contain no key.
    expect(written).not.toContain(paraph.key("bot"));
    const { stdout } = await cli("doctor", "--json");
    expect(told(JSON.parse(stdout).checks)).toMatch(/^(ok|warn): hook works/);

    await cli("hook", "uninstall", "claude-code", "--yes");
    expect(await readFile(settings, "utf8")).toBe(original);
  });

  it("[P11] is refused, and reported by the doctor, if no `codingAgent()` has the name that it asks for", async () => {
    await mkdir(join(home, ".claude"), { recursive: true });
    await writeFile(settings, original);
    const refused = await cli("hook", "install", "claude-code", "--yes", "--adapter", "other");
    expect(refused.stderr).toContain(
      "No `codingAgent()` is called `other`, so the hook would deny every tool use. Nothing was written. To fix it, pass `--adapter agent`.",
    );
    expect(await readFile(settings, "utf8")).toBe(original);
    await cli("hook", "install", "claude-code", "--yes", "--adapter", "agent");
    const installed = await readFile(settings, "utf8");
    await writeFile(settings, installed.replaceAll("--adapter agent", "--adapter other"));
    expect(await found()).toBe(
      "fail: hook denies everything, because the configuration has no `codingAgent()` with the name `other`",
    );
  });

  it("is reported by the doctor if it is disabled", async () => {
    const hook = { hooks: [{ type: "command", command: "true # paraph hook run claude-code" }] };
    const off = { disableAllHooks: true, hooks: { PreToolUse: [hook] } };
    await writeFile(settings, JSON.stringify(off));
    expect(await found()).toBe("fail: its hooks are disabled, so it does not ask Paraph");
  });
});

it("the hook stores only ids, in the user's state folder", async () => {
  const notes = join(folder, ".local/state/.paraph/hook");
  for (const name of await readdir(notes))
    expect(await readFile(join(notes, name), "utf8")).toMatch(/^\{"call":"[^"]+"[^{}]*\}$/);
});
