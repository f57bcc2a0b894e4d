import { expect, it } from "vitest";
import { files } from "../files/index.ts";
import { type ConformanceTestDefinition, defineConformanceTest } from "./conformance-test.ts";
import { loadConformanceTest } from "./load-conformance-test.ts";

const trial: ConformanceTestDefinition<object> = {
  name: "files",
  adapter: files({ root: "." }),
  reset: async () => {},
  snapshot: async () => "",
  cases: [{ capability: "files.read", input: { path: "a" } }],
};

it("a whole trial is taken as it is", () => {
  expect(defineConformanceTest(trial)).toBe(trial);
});

it("what a trial misses is told at once, all of it", () => {
  const missing = {
    name: "Files",
    cases: [{ capability: "git.push", input: {}, crashes: 0.5, maxUnsureShare: 2 }],
  };
  const define = () => defineConformanceTest(missing as unknown as ConformanceTestDefinition<object>);
  for (const field of [
    "name:",
    "adapter:",
    "reset:",
    "snapshot:",
    "`git.push` should begin",
    "crashes:",
    "maxUnsureShare:",
  ])
    expect(define).toThrow(field);
  expect(() => defineConformanceTest({ ...trial, cases: [] })).toThrow("cases: at least one");
});

it("a module without a trial is said to be one", async () => {
  await expect(loadConformanceTest(new URL("./describe-answer.ts", import.meta.url).href)).rejects.toThrow(
    "export default defineTrial",
  );
});
