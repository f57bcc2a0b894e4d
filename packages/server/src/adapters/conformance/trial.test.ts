import { expect, it } from "vitest";
import { files } from "../files/index.ts";
import { loadTrial } from "./load-trial.ts";
import { defineTrial, type TrialDefinition } from "./trial.ts";

const trial: TrialDefinition<object> = {
  name: "files",
  adapter: files({ root: "." }),
  reset: async () => {},
  picture: async () => "",
  cases: [{ capability: "files.read", input: { path: "a" } }],
};

it("a whole trial is taken as it is", () => {
  expect(defineTrial(trial)).toBe(trial);
});

it("what a trial misses is told at once, all of it", () => {
  const missing = { name: "Files", cases: [{ capability: "git.push", input: {}, crashes: 0.5, unsure: 2 }] };
  const define = () => defineTrial(missing as unknown as TrialDefinition<object>);
  for (const field of [
    "name:",
    "adapter:",
    "reset:",
    "picture:",
    "`git.push` should begin",
    "crashes:",
    "unsure:",
  ])
    expect(define).toThrow(field);
  expect(() => defineTrial({ ...trial, cases: [] })).toThrow("cases: at least one");
});

it("a module without a trial is said to be one", async () => {
  await expect(loadTrial(new URL("./told.ts", import.meta.url).href)).rejects.toThrow(
    "export default defineTrial",
  );
});
