import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { codingAgent } from "@paraph/adapters/coding-agent";
import { files } from "@paraph/adapters/files";
import { git } from "@paraph/adapters/git";
import { http } from "@paraph/adapters/http";
import { postgres } from "@paraph/adapters/sql";
import { type Capability, defineCapability } from "@paraph/core";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Config, defineConfig } from "../../config/config.ts";
import { createPolicyWorkbench } from "../workbench.ts";

const page = readFileSync(new URL("../../../../../docs/guides/policy-cookbook.md", import.meta.url), "utf8");
const recipes = page
  .split(/^(?=##)/m)
  .filter((section) => section.startsWith("### "))
  .map((text) => ({ heading: text.slice(4, text.indexOf("\n")), text }));

/** Returns the texts of the blocks whose fence is exactly this. */
function listBlocks(text: string, fence: string): string[] {
  return [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)]
    .filter(([, info]) => info === fence)
    .map(([, , body]) => body!);
}

const folder = mkdtempSync(join(tmpdir(), "paraph-cookbook-"));
afterAll(() => rmSync(folder, { recursive: true }));

const examples = await openExampleCapabilities();

it("the cookbook has at least 15 recipes, each with a heading of its own", () => {
  expect(recipes.length).toBeGreaterThanOrEqual(15);
  expect(new Set(recipes.map(({ heading }) => heading)).size).toBe(recipes.length);
});

describe.each(recipes)("$heading", ({ heading, text }) => {
  it("rules on its cases as the page says, on both sides of a boundary", async () => {
    const { test, lint } = await openRecipe(heading, text);
    const cases = listBlocks(text, "yaml cases");
    const result = test(cases.map((each) => ({ file: heading, text: each })));
    expect(result.faults, heading).toEqual([]);
    const failed = result.cases.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`));
    expect(failed, heading).toEqual([]);
    expect(new Set(result.cases.map(({ expected }) => expected)).size, heading).toBeGreaterThan(1);
    // A case covers each policy of the recipe, so that a policy which never applies fails the test.
    const uncovered = result.uncovered.filter(({ preset }) => !preset).map(({ id }) => id);
    expect(uncovered, heading).toEqual([]);
    expect(lint(), heading).toEqual([]);
  });
});

/** Opens the policies of a recipe together with its preset, as `paraph policy test` does. */
async function openRecipe(heading: string, text: string) {
  const [policies, own] = [listBlocks(text, "cedar"), listBlocks(text, "ts config")];
  expect(policies.length + own.length, `${heading} has no policy`).toBeGreaterThan(0);
  const project = mkdtempSync(join(folder, "recipe-"));
  mkdirSync(join(project, "policies"));
  for (const [index, policy] of policies.entries())
    writeFileSync(join(project, `policies/${index}.cedar`), policy);
  const config = own.map((properties) => evaluateConfig(`defineConfig({ ${properties} })`));
  return createPolicyWorkbench(Object.assign({ capabilities: examples }, ...config), project);
}

/** Opens the adapters of the page's own configuration once, and returns all capabilities of this configuration. */
async function openExampleCapabilities(): Promise<Capability[]> {
  mkdirSync(join(folder, "workspace"));
  execFileSync("git", ["init", "--quiet", join(folder, "repository")]);
  const [text = ""] = listBlocks(page, "ts");
  const config = evaluateConfig(text.replace(/^import .*$/gm, "").replace("export default ", ""));
  const offered = await Promise.all(
    Object.entries(config.adapters ?? {}).map(async ([name, adapter]) => {
      const opened = await adapter.open({
        name,
        folder,
        signal: AbortSignal.timeout(60_000),
        credential: async () => "unused",
        announceChange: () => {},
      });
      const capabilities = await opened.capabilities();
      await opened.close?.();
      return capabilities;
    }),
  );
  return [...offered.flat(), ...(config.capabilities ?? [])];
}

/**
 * Evaluates the code of a configuration without its imports. It runs in this realm, because the configuration's checks
 * compare prototypes.
 */
function evaluateConfig(code: string): Config {
  const names = { codingAgent, defineCapability, defineConfig, files, git, http, postgres, z };
  const body = code.replace(/^defineConfig\(/m, "return defineConfig(");
  return runInThisContext(`({ ${Object.keys(names).join(", ")} }) => {\n${body}\n}`)(names);
}
