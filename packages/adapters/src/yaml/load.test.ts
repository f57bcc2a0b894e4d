import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { z } from "zod";
import { parseTestInput } from "../testing.ts";
import { toolsDocument, yamlTools } from "./index.ts";
import { createYamlFixture } from "./testing/fixture.ts";

const good = "tools:\n  good: { binary: $SPY, args: [] }\n";
const seed = await readFile(new URL("./testing/seed.yaml", import.meta.url), "utf8");

it("[seed: ADR-029] the block from the seed document loads unchanged", async () => {
  await using fixture = await createYamlFixture({ "seed.yaml": seed });
  const capability = await fixture.capability("gemini_cli");
  expect(capability.contract).toMatchObject({ effect: "write", idempotency: "none", risk: "medium" });
  expect(parseTestInput(capability, { model: "gemini-1.5-pro", prompt: "hello" })).toBeTruthy();
  expect(capability.parseInput({ model: "gemini-9", prompt: "hello" }).kind).toBe("invalid");
});

it("the adapter skips an invalid tool, reports its file, line and fix, and loads the others", async () => {
  const bad = `tools:
  lost:
    binary: $SPY
    args: ["{nme}"]
    input:
      name: { type: string }
  odd:
    binary: $SPY
    args: []
    efect: read
    timeout: 2h
  fine:
    binary: $SPY
    args: []
`;
  await using fixture = await createYamlFixture({ "a.yaml": bad, "b.yaml": good, "c.yaml": "tools: [" });
  const names = (await fixture.adapter.capabilities()).map(({ contract }) => contract.name);
  expect(names).toEqual(["ops.fine", "ops.good"]);
  const health = await fixture.adapter.health!(AbortSignal.timeout(60_000));
  expect(health).toMatchObject({ kind: "degraded", code: "tools-invalid" });
  expect(health.message!.split("\n").slice(1)).toEqual([
    expect.stringMatching(/a\.yaml:4: lost\.args: `\{nme\}` is not an input/),
    expect.stringMatching(/a\.yaml:6: lost\.input\.name: nothing uses `\{name\}`/),
    expect.stringMatching(/a\.yaml:10: odd\.efect: this key is unknown/),
    expect.stringMatching(/a\.yaml:11: odd\.timeout: .*at most 10m/),
    expect.stringMatching(/c\.yaml:1: this is not valid YAML/),
  ]);
});

it("the adapter does not open without a valid tool, and reports every fault", async () => {
  await expect(createYamlFixture({ "a.yaml": "tools:\n  x: {}\n" })).rejects.toThrow(
    /has no tools:\n.*a\.yaml:2: x\.binary/,
  );
  await expect(createYamlFixture({}, "missing/*.yaml")).rejects.toThrow(
    /missing\/\*\.yaml:1: no file matches/,
  );
  await expect(createYamlFixture({ "a.yaml": "- 1\n" })).rejects.toThrow(/it has no `tools`/);
  await expect(createYamlFixture({}, { files: "a", fils: "b" } as never)).rejects.toThrow(
    /is invalid:\n.*fils/,
  );
  const env = { A: "$" + "{not a name}" };
  await expect(createYamlFixture({ "a.yaml": good }, { files: "a.yaml", env })).rejects.toThrow(
    /env\.A: .*is not the name of a secret/,
  );
});

it("the adapter reports a second tool with the same name", async () => {
  await using fixture = await createYamlFixture({ "a.yaml": good, "b.yaml": good });
  const health = await fixture.adapter.health!(AbortSignal.timeout(60_000));
  expect(health.message).toContain("b.yaml:2: good: another tool has this name: rename one of them");
});

it.each([
  ["neither args nor a line", "", /neither `args` nor `command_template`/],
  ["both", 'args: [], command_template: "{binary}"', /keep one of the two/],
  ["a line without its binary", "command_template: jq .", /must begin with `\{binary\}`/],
  ["a shell's line", 'command_template: "{binary} | sh"', /needs a shell/],
  ["a redirection to a file", 'command_template: "{binary} > /etc/passwd"', /only `\{output_file\}`/],
  ["a redirection from a file", 'command_template: "{binary} < /etc/passwd"', /only a file such as/],
  ["keyed without the key", "args: [], idempotency: keyed", /requires `\{key\}`/],
  ["a read that is not natural", "args: [], effect: read, idempotency: none", /must be `natural` for a read/],
  [
    "a path without its folder",
    'args: ["{p}"], input: { p: { type: path, below: w } }',
    /not among `folders`/,
  ],
  ["content as an argument", 'args: ["{c}"], input: { c: { type: content } }', /write `\{c_file\}`/],
  ["a prompt as a lock", 'args: ["{prompt}"], locks: ["{prompt}"]', /too large for a lock/],
  ["a reserved name", 'args: ["{key}"], input: { key: { type: string } }', /is reserved/],
  ["an unknown type", 'args: ["{x}"], input: { x: { type: text } }', /`type` is one of string/],
  [
    "a pattern RE2 lacks",
    'args: ["{x}"], input: { x: { type: string, pattern: "(?=a)" } }',
    /RE2 does not support/,
  ],
  [
    "a variable that names no secret",
    'args: [], env_vars: { A: "$' + '{a b}" }',
    /is not the name of a secret/,
  ],
  ["a strange sensitive field", "args: [], sensitive: [nothing]", /in neither input nor output/],
  ["a default that is no model", "args: [], models: [a], default_model: b", /not among `models`/],
  ["a code with two meanings", "args: [], exit_codes: { ok: [0], ambiguous: [0] }", /listed twice/],
  ["a pattern over too much", "args: [], output: { kind: regex }, output_limit: 2000000", /at most 1 MiB/],
  [
    "a value in a script",
    'binary: bash, args: [-ec, "echo {prompt}"]',
    /a value inside a script would run as code/,
  ],
  [
    "a value in code",
    "binary: { linux: /usr/bin/python3 }, args: [-c, 'print(\"{prompt}\")']",
    /run as code/,
  ],
  [
    "a value in a preview's script",
    "binary: sh, args: [], preview: { args: [-c, 'echo {prompt}'] }",
    /preview: a value inside a script would run as code/,
  ],
  ["a batch file", "args: [], binary: run.cmd", /batch file/],
])("[P11] %s is a fault", async (_, fields, message) => {
  const binary = fields.includes("binary:") ? "" : "binary: $SPY, ";
  await expect(createYamlFixture({ "a.yaml": `tools:\n  x: { ${binary}${fields} }\n` })).rejects.toThrow(
    message,
  );
});

it("[TRUST 24] the adapter refuses a file whose aliases expand to too much", async () => {
  const level = (number: number) => `l${number}: &l${number} [${`*l${number - 1},`.repeat(9)}]`;
  const bomb = ["l0: &l0 [x]", ...Array.from({ length: 12 }, (_, index) => level(index + 1))].join("\n");
  await expect(createYamlFixture({ "a.yaml": `${bomb}\ntools: {}\n` })).rejects.toThrow(/expand to too much/);
});

it("[P1] a tool's contract includes its tags, models and version", async () => {
  const text =
    'tools:\n  x: { binary: $SPY, args: ["{model}"], models: [a, b], default_model: b, tags: [model], version: 3 }\n';
  await using fixture = await createYamlFixture({ "a.yaml": text });
  const { contract } = await fixture.capability("x");
  expect(contract).toMatchObject({
    version: 3,
    input: { "x-paraph-tags": ["model"], properties: { model: { enum: ["a", "b"], default: "b" } } },
  });
});

it("the tools file has a JSON Schema for editors", () => {
  const schema = z.toJSONSchema(toolsDocument, { io: "input" });
  expect(schema).toMatchObject({ required: ["tools"], additionalProperties: false });
  expect(yamlTools("x").kind).toBe("yaml");
});
