import { readdirSync, readFileSync } from "node:fs";
import type { Adapter } from "@paraph/core";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { mcpHttpConfig, mcpStdioConfig } from "./config.ts";
import { mcp } from "./index.ts";
import { profileDocument, shippedProfiles } from "./profile/profile.ts";

const guide = readFileSync(new URL("../../../../docs/adapters/mcp.md", import.meta.url), "utf8");
const written = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(guide)![1]!;

it("docs/adapters/mcp.md has a valid configuration and a valid profile", () => {
  const body = written("ts")
    .replace(/^import .*$/gm, "")
    .replace("export default", "return");
  const run = new Function("defineConfig", "mcp", body);
  const { adapters } = run((config: object) => config, mcp) as { adapters: Record<string, Adapter> };
  expect(Object.values(adapters).map(({ kind }) => kind)).toEqual(["mcp", "mcp", "mcp"]);
  expect(profileDocument.safeParse(parse(written("yaml"))).error?.issues ?? []).toEqual([]);
});

it("the guide names every option, every shipped profile and every fault code", () => {
  const options = Object.keys({ ...mcpStdioConfig.shape, ...mcpHttpConfig.shape }).filter(
    (name) => name !== "url",
  );
  expect(options.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  expect(shippedProfiles.filter((name) => !guide.includes(`| \`${name}\` |`))).toEqual([]);
  const folder = new URL("./", import.meta.url);
  const codes = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /^(?!testing)([a-z-]+\/)*[a-z-]+\.ts$/.test(file))
    .flatMap((file) => [...readFileSync(new URL(file, folder), "utf8").matchAll(/"(mcp-[a-z-]+)"/g)])
    .map(([, code]) => code!)
    .filter((code) => !["mcp-pins", "mcp-waiting", "mcp-logins", "mcp-output"].includes(code));
  expect(new Set(codes).size).toBeGreaterThan(15);
  expect([...new Set(codes)].filter((code) => !guide.includes(`\`${code}\``))).toEqual([]);
});
