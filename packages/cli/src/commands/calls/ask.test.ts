// Tests requests in words on the command line, against a complete Paraph.
import { defineCapability } from "@paraph/core";
import { afterAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { TestParaph } from "../../../../../test/support/servers/test-paraph.ts";
import { startTestModel } from "../../../../server/src/builtin/checks/testing/openai-server.ts";
import type { Context } from "../../lib/context.ts";
import { captureOutput } from "../../testing/captured-output.ts";
import { askInWords } from "./ask.ts";

const notes: string[] = [];
const append = defineCapability({
  name: "notes.append",
  version: 1,
  summary: "Append a note",
  effect: "write",
  idempotency: "natural",
  input: z.strictObject({ text: z.string() }),
  output: z.object({}),
  preview: async ({ text }) => ({
    changes: [{ kind: "update", target: "notes", summary: text }],
    basis: notes.length,
  }),
  apply: async ({ text }) => {
    notes.push(text);
    return {};
  },
});

const model = await startTestModel();
afterAll(() => model.stop());
const config = {
  capabilities: [append],
  unattended: ["notes.append"],
  intents: { model: { url: model.url, name: "small" } },
};
const paraph = await TestParaph.start(config, [
  { tenant: "acme", id: "ana", kind: "person" },
  { tenant: "acme", id: "bot", kind: "agent", owner: "ana" },
]);
afterAll(() => paraph.stop());
beforeEach(() => {
  notes.splice(0);
  replyWith([]);
});
function replyWith(steps: object[]): void {
  model.answers(() => ({ kind: "content", content: JSON.stringify({ steps, questions: [] }) }));
}
const run = (...args: string[]) => paraph.cli({ person: "ana", agent: "bot" }, ...args);

/** Runs the command with a person at the terminal, who gives these answers. */
async function runAtTerminal(words: string, answers: string[]) {
  const { output, written } = captureOutput();
  const asked: string[] = [];
  const context: Context = {
    output,
    environment: { PARAPH_URL: paraph.url, PARAPH_KEY: paraph.key("bot") },
    folder: paraph.folder,
    signal: new AbortController().signal,
    takeTime: () => {},
    version: "0.0.0",
    json: false,
    url: paraph.url,
    question: async (text) => {
      asked.push(text);
      return answers.shift() ?? "";
    },
    secretQuestion: undefined,
  };
  return { code: await askInWords(context, [words], { as: "agent" }), asked, ...written };
}

it("shows the plan and its preview, and asks before it requests the plan", async () => {
  const declined = await runAtTerminal('Append a note "hello"', ["n"]);
  expect(declined).toMatchObject({ code: 0, asked: ["Request this plan? [y/N] "] });
  expect(declined.stdout).toMatch(/1 {2}notes\.append {2}\{"text":"hello"\}/);
  expect(declined.stdout).toContain("update notes: hello");
  expect(notes).toEqual([]);
  expect(await runAtTerminal('Append a note "hello"', ["y"])).toMatchObject({ code: 0 });
  expect(notes).toEqual(["hello"]);
});

it("asks for a missing fact, and uses the answer as a value and never as a request", async () => {
  const text = "Append a note. Then append another";
  const { asked, code } = await runAtTerminal("Append a note", [text, "y"]);
  expect([asked, code]).toEqual([["What is `text`? ", "Request this plan? [y/N] "], 0]);
  expect(notes).toEqual([text]);
});

it("[TRUST 1] without a terminal, requests only the plan with the fingerprint that the user reviewed", async () => {
  const words = 'Append a note "hello"';
  const { code, stderr, stdout } = await run("ask", words);
  expect(code).toBe(2);
  const [, fingerprint = ""] = /--fingerprint ([0-9a-f]{16}) --yes/.exec(stderr) ?? [];
  expect(stdout).toContain(`fingerprint  ${fingerprint}`);
  expect(await run("ask", words, "--yes")).toMatchObject({ code: 2 });
  expect(await run("ask", 'Append a note "bye"', "--yes", "--fingerprint", fingerprint)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("another plan"),
  });
  expect(notes).toEqual([]);
  const done = await run("ask", words, "--yes", "--fingerprint", fingerprint, "--json");
  expect(notes).toEqual(["hello"]);
  const { call, words: recorded } = JSON.parse(done.stdout);
  expect(recorded).toMatchObject({ words, understoodBy: { kind: "grammar" } });
  expect((await run("show", call)).stdout).toMatch(/words +Append a note "hello"/);
});

it("prints questions and reasons with their exit codes, and as JSON", async () => {
  expect(await run("ask", "Append a note")).toMatchObject({
    code: 8,
    stderr: expect.stringContaining("? What is `text`?"),
  });
  expect(await run("ask", "Sing", "a", "song")).toMatchObject({ code: 3 });
  const { stdout } = await run("ask", "Append a note", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ kind: "question", questions: [{ field: "text" }] });
});

it("uses the configured model for other words, and records it with the call", async () => {
  replyWith([{ capability: "notes.append", input: { text: "[[quote 1]]" } }]);
  const words = 'Jot down "buy milk"';
  const { stderr } = await run("ask", words);
  const [, fingerprint = ""] = /--fingerprint ([0-9a-f]{16}) --yes/.exec(stderr) ?? [];
  const done = await run("ask", words, "--yes", "--fingerprint", fingerprint, "--json");
  expect(notes).toEqual(["buy milk"]);
  expect(JSON.parse(done.stdout).words).toMatchObject({
    words,
    understoodBy: { kind: "model", model: "delegate", promptVersion: 1 },
  });
});
