import { expect, it } from "vitest";
import { faultIn } from "../testing.ts";
import { ground, misbehaving, newFolder, tool, worldOf } from "./testing/ground.ts";

const reading = { effect: "read" as const };

it("[P8] a server that dies under a call leaves it in doubt, is started again, and the next call is served", async () => {
  await using folder = await newFolder();
  const { adapter } = await misbehaving(folder.path, {
    tools: [tool("crash"), tool("echo")],
    chatter: "Listening on stdio",
  });
  await using there = await ground(adapter, folder.path);
  const [crash, echo] = [await there.capability("crash"), await there.capability("echo")];
  const back = there.changed();
  expect(await faultIn(crash.apply({}, worldOf()))).toBe("ambiguous mcp-connection-lost");
  expect(await faultIn(echo.apply({}, worldOf()))).toBe("not-performed mcp-server-away");
  await back;
  expect(await faultIn(echo.apply({}, worldOf()))).toBe("no fault");
});

it("[P8] a read that the server died under has done nothing", async () => {
  await using folder = await newFolder();
  const { adapter } = await misbehaving(
    folder.path,
    { tools: [tool("crash")] },
    { tools: { crash: reading } },
  );
  await using there = await ground(adapter, folder.path);
  expect(await faultIn((await there.capability("crash")).apply({}, worldOf()))).toBe(
    "not-performed mcp-connection-lost",
  );
});

it("one that does not start is away with a sentence, and one that says nothing is not waited for", async () => {
  await using folder = await newFolder();
  const { adapter, say } = await misbehaving(folder.path, { stillborn: true });
  expect(await faultIn(ground(adapter, folder.path))).toBe("not-performed mcp-not-started");
  await say({ mute: true });
  await using there = await ground(adapter, folder.path);
  await expect(there.open.health!(AbortSignal.timeout(200))).rejects.toMatchObject({ code: "mcp-slow" });
});

it("[P8] what a tool calls an error is final, with its words for the caller; what MCP calls an error depends on which", async () => {
  await using folder = await newFolder();
  const { adapter } = await misbehaving(folder.path, {
    tools: ["fail", "refuse", "nonsense"].map((name) => tool(name)),
  });
  await using there = await ground(adapter, folder.path);
  const fail = await there.capability("fail");
  await expect(fail.apply({ message: "no such thing" }, worldOf())).rejects.toMatchObject({
    kind: "permanent",
    code: "mcp-tool-error",
    message: "no such thing",
  });
  const refuse = await there.capability("refuse");
  for (const code of [-32700, -32600, -32601, -32602])
    expect(await faultIn(refuse.apply({ code }, worldOf()))).toBe("permanent mcp-error");
  // Its own time-out, a closed connection behind it, a cancelled request: the tool may have acted.
  for (const code of [-32603, -32000, -32001, -32042, -32800, 500])
    expect(await faultIn(refuse.apply({ code }, worldOf()))).toBe("ambiguous mcp-error");
  expect(await faultIn((await there.capability("nonsense")).apply({}, worldOf()))).toBe(
    "ambiguous mcp-answer-invalid",
  );
});

it("[TRUST 24] a large answer is taken, one that does not end is hung up on", async () => {
  await using folder = await newFolder();
  const { adapter } = await misbehaving(folder.path, { tools: [tool("huge"), tool("endless")] });
  await using there = await ground(adapter, folder.path);
  const output = await (await there.capability("huge")).apply({ bytes: 1_000_000 }, worldOf());
  expect((output as { content: { text: string }[] }).content[0]!.text).toHaveLength(1_000_000);
  expect(await faultIn((await there.capability("endless")).apply({}, worldOf()))).toBe(
    "ambiguous mcp-connection-lost",
  );
});

it("[P11] output that is not what the tool promised is not passed on", async () => {
  await using folder = await newFolder();
  const outputSchema = {
    type: "object",
    properties: { count: { $ref: "#/$defs/count" } },
    required: ["count"],
    $defs: { count: { type: "number" } },
  };
  const { adapter } = await misbehaving(folder.path, { tools: [tool("liar", { outputSchema })] });
  await using there = await ground(adapter, folder.path);
  const liar = await there.capability("liar");
  expect(liar.parseOutput(await liar.apply({}, worldOf()))).toMatchObject({
    kind: "invalid",
    faults: [expect.stringContaining("structuredContent.count")],
  });
});

it("[P15] a tool that does not come to an end is left at the deadline, and the server goes on for others", async () => {
  await using folder = await newFolder();
  const { adapter } = await misbehaving(folder.path, { tools: [tool("slow"), tool("echo")] });
  await using there = await ground(adapter, folder.path);
  const deadline = new AbortController();
  const progress = () => deadline.abort(new Error("the deadline"));
  const slow = await there.capability("slow");
  await expect(slow.apply({}, worldOf({ signal: deadline.signal, progress }))).rejects.toThrow(
    "the deadline",
  );
  expect(await faultIn((await there.capability("echo")).apply({}, worldOf()))).toBe("no fault");
});

it("one that says without end that it changed is looked at again, but not as often as it says", async () => {
  await using folder = await newFolder();
  const { adapter } = await misbehaving(folder.path, { tools: [tool("flood"), tool("echo")] });
  await using there = await ground(adapter, folder.path);
  const [flood, echo] = [await there.capability("flood"), await there.capability("echo")];
  await flood.apply({}, worldOf());
  expect(await faultIn(echo.apply({}, worldOf()))).toBe("no fault");
  expect(there.changes()).toBeGreaterThan(0);
  expect(there.changes()).toBeLessThan(500);
});

it("[TRUST 24] a tool whose schema cannot be used is left out, and the others are there", async () => {
  await using folder = await newFolder();
  const remote = { type: "object", properties: { a: { $ref: "https://example.com/schema.json" } } };
  let deep: object = { type: "string" };
  for (let depth = 0; depth < 400; depth++) deep = { type: "object", properties: { a: deep } };
  const tools = [
    tool("remote", { inputSchema: remote }),
    tool("deep", { inputSchema: deep }),
    tool("echo"),
    tool("task", { execution: { taskSupport: "required" } }),
  ];
  const { adapter } = await misbehaving(folder.path, { tools });
  await using there = await ground(adapter, folder.path);
  expect((await there.open.capabilities()).map(({ contract }) => contract.name)).toEqual([
    "srv.echo",
    "srv.read_resource",
  ]);
  expect(await there.open.health!(AbortSignal.timeout(5_000))).toMatchObject({
    kind: "well",
    message: expect.stringContaining("3 of what"),
  });
});

it("names are folded, and two that fold to the same are numbered by their names, not by their order", async () => {
  await using folder = await newFolder();
  const names = ["get.user", "getUser", "get-user", "9lives", "constructor"];
  const { adapter } = await misbehaving(folder.path, { tools: names.map((name) => tool(name)) });
  await using there = await ground(adapter, folder.path);
  await there.open.capabilities();
  const { tools } = there.open.facade!();
  expect(Object.fromEntries(tools.map(({ name, capability }) => [name, capability]))).toEqual({
    "get-user": "srv.get_user",
    "get.user": "srv.get_user_2",
    getUser: "srv.get_user_3",
    "9lives": "srv.t_9lives",
    constructor: "srv.constructor",
  });
});
