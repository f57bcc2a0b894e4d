import { existsSync, readFileSync } from "node:fs";
import type { Adapter } from "@paraph/core";
import { expect, it } from "vitest";
import { hasProgram } from "../../../../test/support/optional-programs.ts";
import { searchPath } from "../process/search-path.ts";
import { yamlTools } from "./index.ts";
import { createYamlFixture, performTool } from "./testing/fixture.ts";

const guide = readFileSync(new URL("../../../../docs/adapters/yaml.md", import.meta.url), "utf8");
const example = (name: string) =>
  new RegExp(`<!-- test: ${name} -->\n\`\`\`yaml\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? "";
const here = (binary: string) => searchPath.some((folder) => existsSync(`${folder}/${binary}`));

it("[seed: ADR-029] the guide's file alone adds jq", async ({ skip }) => {
  await using fixture = await createYamlFixture({ "jq.yaml": example("jq") });
  const jq = await fixture.capability("jq");
  expect(jq.contract).toMatchObject({ effect: "read", idempotency: "natural" });
  if (!hasProgram(here("jq") && here("bwrap"), "jq or bubblewrap", "apt-get install -y jq bubblewrap"))
    skip();
  const document = JSON.stringify({ items: [{ name: "a b" }, { name: "c" }] });
  expect(await performTool(jq, { filter: ".items[0].name", document })).toMatchObject({ text: '"a b"\n' });
  expect(await performTool(jq, { filter: ".items[].name", document, raw: true })).toMatchObject({
    text: "a b\nc\n",
  });
  expect(jq.parseInput({ filter: "--rawfile", document }).kind).toBe("invalid");
  expect(await fixture.adapter.health!(AbortSignal.timeout(60_000))).toEqual({
    kind: "well",
    message: expect.stringMatching(/^`jq` \d+\.\d+/),
  });
});

it("the adapters in the guide's configuration open", async () => {
  await using fixture = await createYamlFixture({ "tools/jq.yaml": example("jq") }, "tools/*.yaml");
  const block = /```ts config\n([\s\S]*?)```/.exec(guide)![1]!;
  const { adapters } = new Function("yamlTools", `return {${block}}`)(yamlTools) as Record<
    "adapters",
    Record<string, Adapter>
  >;
  const names = Object.entries(adapters).map(async ([name, adapter]) => {
    const setting = {
      name,
      folder: fixture.folder,
      signal: AbortSignal.timeout(60_000),
      announceChange: () => {},
    };
    const open = await adapter.open({ ...setting, credential: async () => "" });
    return (await open.capabilities()).map(({ contract }) => contract.name);
  });
  expect((await Promise.all(names)).flat()).toEqual([
    ...["ops.jq", "models.claude", "models.codex", "models.gemini"],
  ]);
});

it("the guide names every field", async () => {
  const { toolDefinition } = await import("./definition/definition.ts");
  for (const field of Object.keys(toolDefinition.shape)) expect(guide).toContain(`\`${field}\``);
});
