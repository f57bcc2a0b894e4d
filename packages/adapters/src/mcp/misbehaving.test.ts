import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hasSandbox } from "../process/testing.ts";
import { readFault } from "../testing.ts";
import { mcp } from "./index.ts";
import {
  createFolder,
  createMcpFixture,
  createMcpTestContext,
  createMisbehaving,
  createTool,
} from "./testing/fixture.ts";

const reading = { effect: "read" as const };

it("[P8] a server crash makes the running call ambiguous, and Paraph restarts the server for later calls", async () => {
  await using folder = await createFolder();
  const { adapter } = await createMisbehaving(folder.path, {
    tools: [createTool("crash"), createTool("echo")],
    chatter: "Listening on stdio",
  });
  await using fixture = await createMcpFixture(adapter, folder.path);
  const [crash, echo] = [await fixture.capability("crash"), await fixture.capability("echo")];
  const back = fixture.waitForChange();
  expect(await readFault(crash.apply({}, createMcpTestContext()))).toBe("ambiguous mcp-connection-lost");
  expect(await readFault(echo.apply({}, createMcpTestContext()))).toBe(
    "not-performed mcp-server-unavailable",
  );
  await back;
  expect(await readFault(echo.apply({}, createMcpTestContext()))).toBe("no fault");
});

it("[P8] a read during which the server crashes is not-performed", async () => {
  await using folder = await createFolder();
  const { adapter } = await createMisbehaving(
    folder.path,
    { tools: [createTool("crash")] },
    { tools: { crash: reading } },
  );
  await using fixture = await createMcpFixture(adapter, folder.path);
  expect(await readFault((await fixture.capability("crash")).apply({}, createMcpTestContext()))).toBe(
    "not-performed mcp-connection-lost",
  );
});

it("a server that does not start fails with `mcp-not-started`, and a silent one with `mcp-slow` at the timeout", async () => {
  await using folder = await createFolder();
  const { adapter, say } = await createMisbehaving(folder.path, { stillborn: true });
  expect(await readFault(createMcpFixture(adapter, folder.path))).toBe("not-performed mcp-not-started");
  await say({ mute: true });
  await using fixture = await createMcpFixture(adapter, folder.path);
  await expect(fixture.open.health!(AbortSignal.timeout(200))).rejects.toMatchObject({ code: "mcp-slow" });
});

it("[P10] what a server prints before it exits is in a file for the operator, without secrets and in no message", async () => {
  await using folder = await createFolder();
  const script = { stillborn: true, complaint: "no access with token-5ecret\n" };
  const { adapter } = await createMisbehaving(folder.path, script, { env: { TOKEN: `\${TOKEN}` } });
  await mkdir(join(folder.path, ".paraph"));
  const fault = await createMcpFixture(adapter, folder.path, { TOKEN: "token-5ecret" }).catch(
    (error) => error,
  );
  expect(fault.message).toBe(
    "The MCP server exited or stopped responding while it started. Its output is in `.paraph/mcp-output/srv.txt`.",
  );
  const file = join(folder.path, ".paraph/mcp-output/srv.txt");
  expect(await readFile(file, "utf8")).toMatch(/^no access with (?!token-5ecret).*\n$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("[TRUST 31] the output of a server replaces a link that was put in its place, and does not follow it", async () => {
  await using folder = await createFolder();
  const { adapter } = await createMisbehaving(folder.path, { stillborn: true, complaint: "no access\n" });
  const own = join(folder.path, "own.txt");
  await writeFile(own, "mine");
  await mkdir(join(folder.path, ".paraph/mcp-output"), { recursive: true });
  const file = join(folder.path, ".paraph/mcp-output/srv.txt");
  await symlink(own, file);
  expect(await readFault(createMcpFixture(adapter, folder.path))).toBe("not-performed mcp-not-started");
  expect(await readFile(own, "utf8")).toBe("mine");
  expect(await readFile(file, "utf8")).toBe("no access\n");
});

it("a server that fails beside no `paraph dev` creates no `.paraph`, which `paraph dev` would refuse", async () => {
  await using folder = await createFolder();
  const { adapter } = await createMisbehaving(folder.path, { stillborn: true, complaint: "no access\n" });
  const fault = await createMcpFixture(adapter, folder.path).catch((error) => error);
  expect(fault.message).toContain("while it started. Run its command manually to find the cause.");
  expect(await readdir(folder.path)).not.toContain(".paraph");
});

it.runIf(hasSandbox)(
  "a sandboxed server that exits without output names a missing file and npx's incomplete package as possible causes",
  async () => {
    await using folder = await createFolder();
    const npx = join(folder.path, "npx");
    await writeFile(npx, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    await mkdir(join(folder.path, "home"));
    const sandbox = { read: [folder.path], home: "home" };
    const adapter = mcp.stdio({ command: npx, args: [], sandbox });
    const fault = await createMcpFixture(adapter, folder.path).catch((error) => error);
    expect(fault.message).toContain("It printed nothing. Run its command manually");
    expect(fault.message).toContain("add the file's folder to `read` of its `sandbox`");
    expect(fault.message).toContain("delete `home/.npm/_npx`");
  },
);

it("[P8] a tool error is permanent with its message, and an MCP error is permanent or ambiguous by its code", async () => {
  await using folder = await createFolder();
  const { adapter } = await createMisbehaving(folder.path, {
    tools: ["fail", "refuse", "nonsense"].map((name) => createTool(name)),
  });
  await using fixture = await createMcpFixture(adapter, folder.path);
  const fail = await fixture.capability("fail");
  await expect(fail.apply({ message: "no such thing" }, createMcpTestContext())).rejects.toMatchObject({
    kind: "permanent",
    code: "mcp-tool-error",
    message: "no such thing",
  });
  const refuse = await fixture.capability("refuse");
  for (const code of [-32700, -32600, -32601, -32602])
    expect(await readFault(refuse.apply({ code }, createMcpTestContext()))).toBe("permanent mcp-error");
  // These codes can mean a timeout of the server, a closed connection behind the server or a cancelled request. The
  // tool may have acted.
  for (const code of [-32603, -32000, -32001, -32042, -32800, 500])
    expect(await readFault(refuse.apply({ code }, createMcpTestContext()))).toBe("ambiguous mcp-error");
  expect(await readFault((await fixture.capability("nonsense")).apply({}, createMcpTestContext()))).toBe(
    "ambiguous mcp-answer-invalid",
  );
});

it("[TRUST 24] Paraph accepts an answer of 1 MB, and disconnects from a server whose answer does not end", async () => {
  await using folder = await createFolder();
  const { adapter } = await createMisbehaving(folder.path, {
    tools: [createTool("huge"), createTool("endless")],
  });
  await using fixture = await createMcpFixture(adapter, folder.path);
  const output = await (await fixture.capability("huge")).apply({ bytes: 1_000_000 }, createMcpTestContext());
  expect((output as { content: { text: string }[] }).content[0]!.text).toHaveLength(1_000_000);
  expect(await readFault((await fixture.capability("endless")).apply({}, createMcpTestContext()))).toBe(
    "ambiguous mcp-connection-lost",
  );
});

it("[P11] output that does not match the tool's output schema is invalid", async () => {
  await using folder = await createFolder();
  const outputSchema = {
    type: "object",
    properties: { count: { $ref: "#/$defs/count" } },
    required: ["count"],
    $defs: { count: { type: "number" } },
  };
  const { adapter } = await createMisbehaving(folder.path, { tools: [createTool("liar", { outputSchema })] });
  await using fixture = await createMcpFixture(adapter, folder.path);
  const liar = await fixture.capability("liar");
  expect(liar.parseOutput(await liar.apply({}, createMcpTestContext()))).toMatchObject({
    kind: "invalid",
    faults: [expect.stringContaining("structuredContent.count")],
  });
});

it("[P15] a tool that does not end is aborted at the deadline, and the server still serves other calls", async () => {
  await using folder = await createFolder();
  const { adapter } = await createMisbehaving(folder.path, {
    tools: [createTool("slow"), createTool("echo")],
  });
  await using fixture = await createMcpFixture(adapter, folder.path);
  const deadline = new AbortController();
  const progress = () => deadline.abort(new Error("the deadline"));
  const slow = await fixture.capability("slow");
  await expect(slow.apply({}, createMcpTestContext({ signal: deadline.signal, progress }))).rejects.toThrow(
    "the deadline",
  );
  expect(await readFault((await fixture.capability("echo")).apply({}, createMcpTestContext()))).toBe(
    "no fault",
  );
});

it("Paraph reacts to 5,000 change notifications of a server, but fewer than 500 times", async () => {
  await using folder = await createFolder();
  const { adapter } = await createMisbehaving(folder.path, {
    tools: [createTool("flood"), createTool("echo")],
  });
  await using fixture = await createMcpFixture(adapter, folder.path);
  const [flood, echo] = [await fixture.capability("flood"), await fixture.capability("echo")];
  await flood.apply({}, createMcpTestContext());
  expect(await readFault(echo.apply({}, createMcpTestContext()))).toBe("no fault");
  expect(fixture.countChanges()).toBeGreaterThan(0);
  expect(fixture.countChanges()).toBeLessThan(500);
});

it("[TRUST 24] Paraph omits tools with unusable definitions, reports their number and offers the others", async () => {
  await using folder = await createFolder();
  const remote = { type: "object", properties: { a: { $ref: "https://example.com/schema.json" } } };
  let deep: object = { type: "string" };
  for (let depth = 0; depth < 400; depth++) deep = { type: "object", properties: { a: deep } };
  const tools = [
    createTool("remote", { inputSchema: remote }),
    createTool("deep", { inputSchema: deep }),
    createTool("echo"),
    createTool("task", { execution: { taskSupport: "required" } }),
  ];
  const { adapter } = await createMisbehaving(folder.path, { tools });
  await using fixture = await createMcpFixture(adapter, folder.path);
  expect((await fixture.open.capabilities()).map(({ contract }) => contract.name)).toEqual([
    "srv.echo",
    "srv.read_resource",
  ]);
  expect(await fixture.open.health!(AbortSignal.timeout(60_000))).toMatchObject({
    kind: "well",
    message: expect.stringMatching(/3 of the server's definitions: .*`task` \(runs only as an MCP task\)/),
  });
});

it("[TRUST 24] Paraph offers at most 2,000 tools of a server, because each costs time at every listing", async () => {
  await using folder = await createFolder();
  const tools = Array.from({ length: 2_005 }, (_, number) => createTool(`tool_${number}`));
  const { adapter } = await createMisbehaving(folder.path, { tools });
  await using fixture = await createMcpFixture(adapter, folder.path);
  expect(await fixture.open.capabilities()).toHaveLength(2_000 + ["srv.read_resource"].length);
  expect(await fixture.open.health!(AbortSignal.timeout(60_000))).toMatchObject({
    message: expect.stringMatching(/5 of the server's definitions: `tool_2000` \(too many\)/),
  });
});

it("tool names are normalized, and colliding names are numbered by name, not by list order", async () => {
  await using folder = await createFolder();
  const names = ["get.user", "getUser", "get-user", "9lives", "constructor"];
  const { adapter } = await createMisbehaving(folder.path, { tools: names.map((name) => createTool(name)) });
  await using fixture = await createMcpFixture(adapter, folder.path);
  await fixture.open.capabilities();
  const { tools } = fixture.open.facade!();
  expect(Object.fromEntries(tools.map(({ name, capability }) => [name, capability]))).toEqual({
    "get-user": "srv.get_user",
    "get.user": "srv.get_user_2",
    getUser: "srv.get_user_3",
    "9lives": "srv.t_9lives",
    constructor: "srv.constructor",
  });
});
