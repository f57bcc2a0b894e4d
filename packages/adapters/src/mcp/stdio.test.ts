import type { Progress } from "@paraph/core";
import { expect, it } from "vitest";
import { hasSandbox } from "../process/testing.ts";
import { parseTestInput, readFault } from "../testing.ts";
import { mcp } from "./index.ts";
import {
  createFolder,
  createMcpFixture,
  createMcpTestContext,
  createMisbehaving,
  createTool,
  findPublishedServer,
} from "./testing/fixture.ts";

const everything = () =>
  mcp.stdio({
    command: process.execPath,
    args: [findPublishedServer("server-everything"), "stdio"],
    sandbox: false,
  });

it("[P8] the tools of a real server are capabilities, which without a profile are high-risk writes", async () => {
  await using folder = await createFolder();
  await using fixture = await createMcpFixture(everything(), folder.path);
  const sum = await fixture.capability("get_sum");
  expect(sum.contract).toMatchObject({ effect: "write", risk: "high", idempotency: "none", previews: false });
  expect(sum.contract.input).toMatchObject({ additionalProperties: true });
  const output = sum.parseOutput(
    await sum.apply(parseTestInput(sum, { a: 2, b: 3 }), createMcpTestContext()),
  );
  expect(output).toMatchObject({
    kind: "valid",
    value: { content: [{ type: "text", text: expect.stringContaining("5") }] },
  });
  expect(sum.parseInput({ a: "two" }).kind).toBe("invalid");
});

it("the contract has the schema of structured output, and the call returns that output", async () => {
  await using folder = await createFolder();
  await using fixture = await createMcpFixture(everything(), folder.path);
  const weather = await fixture.capability("get_structured_content");
  expect(weather.contract.output).toMatchObject({
    properties: { structuredContent: { properties: { temperature: { type: "number" } } } },
  });
  const output = weather.parseOutput(await weather.apply({ location: "Chicago" }, createMcpTestContext()));
  expect(output).toMatchObject({
    kind: "valid",
    value: { structuredContent: { temperature: expect.any(Number) } },
  });
});

it("progress arrives; [P15] at the deadline the call ends with the signal's reason", async () => {
  await using folder = await createFolder();
  await using fixture = await createMcpFixture(everything(), folder.path);
  const long = await fixture.capability("trigger_long_running_operation");
  const said: Progress[] = [];
  const deadline = new AbortController();
  const progress = (each: Progress) => {
    said.push(each);
    deadline.abort(new Error("the deadline"));
  };
  const running = long.apply(
    { duration: 20, steps: 100 },
    createMcpTestContext({ progress, signal: deadline.signal }),
  );
  await expect(running).rejects.toThrow("the deadline");
  expect(said[0]).toMatchObject({ fraction: expect.closeTo(0.01) });
});

it("resources and prompts are reads, and the facade keeps the server's own names", async () => {
  await using folder = await createFolder();
  await using fixture = await createMcpFixture(everything(), folder.path);
  const reading = await fixture.capability("read_resource");
  expect(reading.contract).toMatchObject({ effect: "read", risk: "medium" });
  const facade = fixture.open.facade!();
  const { uri } = facade.resources![0]!;
  expect(await reading.apply({ uri }, createMcpTestContext())).toMatchObject({ contents: [{ uri }] });
  const prompt = facade.prompts!.find(({ name }) => name === "args-prompt")!;
  expect(prompt.capability).toBe("srv.prompt_args_prompt");
  const prompting = await fixture.capability("prompt_args_prompt");
  expect(await prompting.apply({ city: "Paris" }, createMcpTestContext())).toMatchObject({
    messages: [{ role: "user" }],
  });
  expect(facade.tools.find(({ name }) => name === "get-sum")).toMatchObject({
    capability: "srv.get_sum",
    description: expect.any(String),
    inputSchema: { properties: { a: {} } },
  });
});

it("[TRUST 8] a server gets the configured variables and none of Paraph's, and Paraph masks secrets in its output", async () => {
  await using folder = await createFolder();
  const env = { TOKEN: "$" + "{SRV_TOKEN}", PLAIN: "yes" };
  const { adapter } = await createMisbehaving(folder.path, { tools: [createTool("environment")] }, { env });
  await using fixture = await createMcpFixture(adapter, folder.path, { SRV_TOKEN: "very-secret-value" });
  const output = await (await fixture.capability("environment")).apply({}, createMcpTestContext());
  const seen = JSON.parse((output as { content: { text: string }[] }).content[0]!.text);
  expect(Object.keys(seen).sort()).toEqual(["HOME", "LANG", "PATH", "PLAIN", "TOKEN"]);
  expect(seen.TOKEN).toBe("•••");
});

it.runIf(hasSandbox)("a server in the sandbox can read only the configured paths", async () => {
  await using folder = await createFolder();
  const { adapter, program } = await createMisbehaving(
    folder.path,
    { tools: [createTool("environment")] },
    { sandbox: {} },
  );
  // Without any readable path, even the program of the server is missing in the sandbox.
  expect(
    await readFault(
      adapter.open({
        name: "srv",
        folder: folder.path,
        signal: AbortSignal.timeout(60_000),
        announceChange: () => {},
        credential: () => Promise.reject(new Error("none")),
      }),
    ),
  ).toMatch(/^not-performed mcp-/);
  const read = [process.execPath, program, folder.path].map((path) => path.replace(/\/[^/]*$/, ""));
  const { adapter: seeing } = await createMisbehaving(
    folder.path,
    { tools: [createTool("echo")] },
    { sandbox: { read: [...read.slice(0, 2), folder.path] } },
  );
  await using fixture = await createMcpFixture(seeing, folder.path);
  expect(await (await fixture.capability("echo")).apply({}, createMcpTestContext())).toMatchObject({
    content: [{ type: "text" }],
  });
});

it("[TRUST 16] Paraph masks a secret in errors, in progress and in field names", async () => {
  await using folder = await createFolder();
  const { adapter } = await createMisbehaving(
    folder.path,
    { tools: [createTool("refuse"), createTool("tell"), createTool("slow")] },
    { env: { TOKEN: "$" + "{SRV_TOKEN}" } },
  );
  const secret = "very-secret/value";
  await using fixture = await createMcpFixture(adapter, folder.path, { SRV_TOKEN: secret });
  const refuse = await fixture.capability("refuse");
  const asked = { code: -32602, message: `bad token ${secret}` };
  const fault = await refuse.apply(asked, createMcpTestContext()).then(String, ({ message }) => message);
  expect(fault).toContain("bad token •••");
  const output = await (await fixture.capability("tell")).apply({ message: secret }, createMcpTestContext());
  expect(output).toMatchObject({ structuredContent: { "•••": 1 } });
  const enough = new AbortController();
  const slow = await fixture.capability("slow");
  const told = await new Promise((resolve) => {
    const context = createMcpTestContext({ signal: enough.signal, progress: resolve });
    void slow.apply({ message: secret }, context).catch(() => {});
  });
  enough.abort();
  expect(told).toMatchObject({ message: "•••" });
});
