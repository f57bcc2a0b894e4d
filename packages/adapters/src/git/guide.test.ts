import { readdirSync, readFileSync } from "node:fs";
import type { Adapter } from "@paraph/core";
import { expect, it } from "vitest";
import { git, gitConfig } from "./index.ts";
import { createGitAdapterContext, createGitFixture } from "./testing.ts";

const guide = readFileSync(new URL("../../../../docs/adapters/git.md", import.meta.url), "utf8");

it("the configuration in docs/adapters/git.md opens, and the table lists exactly the capabilities that it offers", async () => {
  await using fixture = await createGitFixture();
  const written = /^```ts\n(.*?)^```/ms
    .exec(guide)![1]!
    .replace(/^import .*$/gm, "")
    .replace("export default", "return");
  const { adapters } = new Function("defineConfig", "git", written)((config: object) => config, git) as {
    adapters: { code: Adapter };
  };
  const open = await adapters.code.open({ ...createGitAdapterContext(fixture.base), name: "code" });
  const offered = (await open.capabilities()).map(({ contract }) => [
    contract.name,
    contract.effect,
    contract.idempotency,
  ]);
  const rows = [...guide.matchAll(/^\| `(code\.\w+)` \| (\w+)[^|]* \| (\w+) \|/gm)].map((row) =>
    row.slice(1),
  );
  expect(rows).toEqual(offered);
});

it("docs/adapters/git.md names every option, and only fault codes that the adapter uses", () => {
  for (const option of Object.keys(gitConfig.shape)) expect(guide).toContain(`\`${option}\``);
  const folder = new URL(".", import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.includes("test"),
  );
  const all = sources.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
  const table = guide.slice(guide.indexOf("## When it fails"));
  const codes = [
    ...table.matchAll(/`([a-z]+(?:-[a-z]+)*)`(?=[^|]*\| (?:permanent|not performed|ambiguous))/g),
  ].map(([, code]) => code!);
  expect(codes.length).toBeGreaterThan(15);
  for (const code of codes) expect(all, code).toContain(`"${code}"`);
});
