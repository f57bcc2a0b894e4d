import { fileURLToPath } from "node:url";
import { CapabilityError, type ExecutionContext, type Json } from "@paraph/core";
import { expect, it } from "vitest";
import { claudeCode } from "./claude-code.ts";

const fake = fileURLToPath(new URL("./fake-claude.mjs", import.meta.url));

async function opened(command = [process.execPath, fake]) {
  const adapter = await claudeCode({ command, models: ["sonnet", "opus"] }).open({
    name: "claude",
    folder: "/",
    signal: AbortSignal.timeout(120_000),
    announceChange: () => {},
    credential: async () => "key",
  });
  const [ask] = await adapter.capabilities();
  return { adapter, ask: ask! };
}

async function perform(raw: Json, { command, signal }: { command?: string[]; signal?: AbortSignal } = {}) {
  const { ask } = await opened(command);
  const input = ask.parseInput(raw);
  if (input.kind === "invalid") throw new Error(input.faults.join("; "));
  const world = { signal: signal ?? new AbortController().signal, credential: async () => "key" };
  return ask.apply(input.value, world as unknown as ExecutionContext);
}

it("[seed: ADR-029] an adapter in code sends a prompt and returns text, tokens and cost", async () => {
  expect(await perform({ prompt: "--help; $(id)", model: "opus" })).toEqual({
    text: "--help; $(id) (opus, PATH,ANTHROPIC_API_KEY)",
    tokens: 18,
    costUsd: 0.001,
  });
});

it("a model that is not configured is refused before the command runs", async () => {
  await expect(perform({ prompt: "hi", model: "other" })).rejects.toThrow("model");
});

it.each([
  ["busy", "not-performed busy"],
  ["refuse", "permanent tool-failed"],
  ["crash", "permanent answer-unreadable"],
])("[P8] the failure `%s` is classified as `%s`", async (prompt, fault) => {
  expect(await faultOf(perform({ prompt }))).toBe(fault);
});

it("[P8] a missing binary ends as not performed, and health reports it", async () => {
  const command = ["/nonexistent/claude"];
  expect(await faultOf(perform({ prompt: "hi" }, { command }))).toBe("not-performed binary-missing");
  const { adapter } = await opened(command);
  expect(await adapter.health!(AbortSignal.timeout(120_000))).toMatchObject({ code: "binary-missing" });
  expect(await (await opened()).adapter.health!(AbortSignal.timeout(120_000))).toEqual({ kind: "well" });
});

it("[P15] the command is killed at its deadline", async () => {
  const signal = AbortSignal.timeout(200);
  expect(await faultOf(perform({ prompt: "hang" }, { signal }))).toBe("ambiguous stopped");
});

async function faultOf(body: Promise<unknown>): Promise<string> {
  try {
    await body;
    return "no fault";
  } catch (error) {
    if (error instanceof CapabilityError) return `${error.kind} ${error.code}`;
    throw error;
  }
}
