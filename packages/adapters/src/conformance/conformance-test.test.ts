import { expect, it } from "vitest";
import { files } from "../files/index.ts";
import { type ConformanceTestDefinition, defineConformanceTest } from "./conformance-test.ts";
import { loadConformanceTest } from "./load-conformance-test.ts";

const test: ConformanceTestDefinition<object> = {
  name: "files",
  adapter: files({ root: "." }),
  reset: async () => {},
  snapshot: async () => "",
  cases: [{ capability: "files.read", input: { path: "a" } }],
};

it("accepts a complete conformance test", () => {
  expect(defineConformanceTest(test)).toBe(test);
});

it("reports all missing parts of a conformance test at once", () => {
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
    "`git.push` must begin",
    "crashes:",
    "maxUnsureShare:",
  ])
    expect(define).toThrow(field);
  expect(() => defineConformanceTest({ ...test, cases: [] })).toThrow("cases: must contain at least one");
});

it("reports a module without a conformance test", async () => {
  await expect(loadConformanceTest(new URL("./describe-answer.ts", import.meta.url).href)).rejects.toThrow(
    "export default defineConformanceTest",
  );
});
