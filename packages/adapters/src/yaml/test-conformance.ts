import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineConformanceTest } from "../conformance/conformance-test.ts";
import { snapshotFolder } from "../files/testing.ts";
import { yamlTools } from "./index.ts";

/** Set the variable to a higher number to test more crash points. */
const crashes = Number(process.env.PARAPH_CONFORMANCE_CRASHES ?? 1);

export default defineConformanceTest({
  name: "ops",
  adapter: yamlTools("tools.yaml"),
  prepare: async ({ folder }) => {
    await copyFile(new URL("./testing/trial.yaml", import.meta.url), join(folder, "tools.yaml"));
    return {};
  },
  snapshot: ({ folder }) => snapshotFolder(join(folder, "work"), false),
  reset: async ({ folder }) => {
    await rm(join(folder, "work"), { recursive: true, force: true });
    await mkdir(join(folder, "work"));
    await writeFile(join(folder, "work/a"), "one\n");
  },
  cases: [
    {
      capability: "ops.put",
      input: { text: "two\n", file: "a" },
      changeBasis: ({ folder }) => writeFile(join(folder, "work/a"), "somebody else's\n"),
      large: [{ text: "x".repeat(1_000_000), file: "a" }],
      crashes,
    },
    { capability: "ops.count", input: { file: "a" } },
    {
      capability: "ops.wait",
      input: { seconds: 0, file: "a" },
      slow: { input: { seconds: 60, file: "a" }, deadlineMs: 200 },
    },
  ],
});
