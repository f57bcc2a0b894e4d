import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConformanceTest } from "../conformance/conformance-test.ts";
import { findSandbox } from "../process/index.ts";
import { mcp } from "./index.ts";
import { findPublishedServer } from "./testing/fixture.ts";

/** Set the variable to a higher number to test more crash points. */
const crashes = Number(process.env.PARAPH_CONFORMANCE_CRASHES ?? 1);
const modules = dirname(
  fileURLToPath(new URL("../../../../node_modules/.package-lock.json", import.meta.url)),
);
const isSandboxed = (await findSandbox()).kind === "there";

/**
 * The folder of the test files. It is the same in all processes of the conformance test, because the inputs contain
 * full paths.
 */
const root = join("/tmp", `paraph-mcp-trial-${process.env.PARAPH_CONFORMANCE_MCP ?? process.pid}`);
process.env.PARAPH_CONFORMANCE_MCP ??= String(process.pid);
const toPath = (name: string) => join(root, name);

/** Tests a real server with the profile that Paraph ships. */
export default defineConformanceTest({
  name: "disk",
  prepare: async () => {
    await mkdir(root, { recursive: true });
    return {};
  },
  cleanup: () => rm(root, { recursive: true, force: true }),
  adapter: mcp.stdio({
    command: process.execPath,
    args: [findPublishedServer("server-filesystem"), root],
    sandbox: isSandboxed ? { read: [modules], write: [root] } : false,
    profile: "filesystem",
  }),
  reset: async () => {
    for (const name of await readdir(root)) await rm(toPath(name), { recursive: true });
    await writeFile(toPath("a.txt"), "one\ntwo\n");
  },
  snapshot: async () => {
    const names = (await readdir(root)).sort();
    const texts = names.map((name) => readFile(toPath(name), "utf8").catch(() => "a folder"));
    return JSON.stringify([names, await Promise.all(texts)]);
  },
  cases: [
    { capability: "disk.read_text_file", input: { path: toPath("a.txt") } },
    {
      capability: "disk.write_file",
      input: { path: toPath("a.txt"), content: "one\nthree\n" },
      changeBasis: () => writeFile(toPath("a.txt"), "somebody else's\n"),
      large: [{ path: toPath("a.txt"), content: "x".repeat(1024 * 1024) }],
      crashes,
    },
    {
      capability: "disk.edit_file",
      input: { path: toPath("a.txt"), edits: [{ oldText: "two", newText: "three" }] },
      changeBasis: () => writeFile(toPath("a.txt"), "two and a half\n"),
      crashes,
    },
    { capability: "disk.create_directory", input: { path: toPath("folder") }, crashes },
    {
      capability: "disk.move_file",
      input: { source: toPath("a.txt"), destination: toPath("b.txt") },
      changeBasis: () => writeFile(toPath("b.txt"), "somebody else's\n"),
      crashes,
    },
  ],
});
