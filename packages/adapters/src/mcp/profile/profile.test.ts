import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readToolTraits } from "../capabilities/tool-capability.ts";
import { loadProfile } from "../load-profile.ts";
import { createFolder } from "../testing/fixture.ts";
import { profileDocument, shippedProfiles } from "./profile.ts";
import { findProfileMismatches } from "./profile-check.ts";

it.each(shippedProfiles)(
  "the shipped profile %s is valid, and lists what was verified and what was not",
  async (name) => {
    const { tools, verified } = await loadProfile(name, "/nowhere");
    expect(Object.keys(tools).length).toBeGreaterThan(0);
    expect(verified.unseen.length).toBeGreaterThan(0);
    expect(verified.seen.length > 0).toBe(verified.with !== undefined);
  },
);

it.each<[string, string]>([
  [
    "tools: { a: { effect: read, preview: { changes: [{ kind: other, target: x }] } } }",
    "a read cannot have",
  ],
  ["tools: { a: { effect: write, idempotency: probe } }", "or neither"],
  [
    "tools: { a: { effect: write, preview: { changes: [{ kind: other, target: '{before.text}' }] } } }",
    "`{before.…}` is neither",
  ],
  ["tools: { a: { effect: write, locks: ['{output.id}'] } }", "use only `input`"],
  [
    "tools: { a: { effect: write, preview: { reads: { b: { tool: b } }, changes: [{ kind: other, target: x }] } }, b: { effect: write } }",
    "It can call only a read of this profile",
  ],
  ["tools: { a: { effect: sometimes } }", "tools.a.effect"],
  ["tools: { a: { effect: read } }\nmore: 1", "more"],
  ["tools: [", "not valid YAML"],
])("[P11] rejects an invalid profile with a message that names the fault: %s", async (text, message) => {
  await using folder = await createFolder();
  await writeFile(join(folder.path, "own.yaml"), `server: own\nverified: {}\n${text}`);
  await expect(loadProfile("own.yaml", folder.path)).rejects.toThrow(message);
});

it("reports mismatches with the server's tools, but accepts profile tools that the server does not offer", () => {
  const schema = (properties: object, required: string[] = []) => ({
    type: "object" as const,
    properties,
    required,
  });
  const tools = [
    { name: "get", inputSchema: schema({ id: {}, view: {} }, ["id"]) },
    {
      name: "set",
      inputSchema: schema({ id: {}, page: { type: "object", properties: { text: {} } }, tags: {} }),
    },
  ];
  const { tools: terms } = profileDocument.parse({
    server: "own",
    verified: {},
    tools: {
      get: { effect: "read" },
      gone: { effect: "write", locks: ["{input.anything}"] },
      set: {
        effect: "write",
        locks: ["{input.id}", "{input.tags.0.name}", "{input.page.title}"],
        preview: {
          reads: { before: { tool: "get", arguments: { key: "{input.id}" } } },
          changes: [
            { kind: "update", target: "{input.name}", before: "{before.text}", after: "{input.page.text}" },
          ],
        },
        undo: { tool: "unset", arguments: {} },
      },
    },
  });
  expect(findProfileMismatches(terms, tools)).toEqual([
    { tool: "set", message: "it has no `input.page.title`" },
    { tool: "set", message: "it has no `input.name`" },
    { tool: "set", message: "`get` takes no `key`" },
    { tool: "set", message: "`get` needs `id`" },
    { tool: "set", message: "it uses `unset`, which the server does not offer" },
  ]);
});

it("[TRUST 7] a server's hints can raise the effect and risk of a tool, never lower them", () => {
  const tool = (annotations: object) => ({
    name: "a",
    inputSchema: { type: "object" as const },
    annotations,
  });
  const terms = { effect: "write" as const, locks: [], sensitive: [] };
  expect(readToolTraits(tool({ readOnlyHint: true, idempotentHint: true }), undefined)).toEqual({
    effect: "write",
    risk: "high",
    idempotency: "none",
  });
  expect(readToolTraits(tool({ destructiveHint: true }), undefined).effect).toBe("destroy");
  expect(readToolTraits(tool({ readOnlyHint: true }), terms)).toEqual({
    effect: "write",
    risk: "medium",
    idempotency: "none",
  });
  expect(readToolTraits(tool({ destructiveHint: true }), terms)).toMatchObject({
    effect: "destroy",
    risk: "high",
  });
  expect(readToolTraits(tool({ destructiveHint: true }), { ...terms, effect: "read" })).toEqual({
    effect: "destroy",
    risk: "high",
    idempotency: "none",
  });
  expect(readToolTraits(tool({ destructiveHint: true }), { ...terms, risk: "critical" }).risk).toBe(
    "critical",
  );
  expect(
    readToolTraits(tool({ destructiveHint: true }), { ...terms, effect: "read", overHint: true }).effect,
  ).toBe("read");
});
