import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineTrial } from "../conformance/trial.ts";
import { sandboxHere } from "../process/index.ts";
import { mcp } from "./index.ts";
import { published } from "./testing/ground.ts";

/** The lab sweeps more finely. */
const crashes = Number(process.env.PARAPH_TRIAL_CRASHES ?? 1);
const modules = dirname(
  fileURLToPath(new URL("../../../../../node_modules/.package-lock.json", import.meta.url)),
);
const shutIn = (await sandboxHere()).kind === "there";

/** Where every process of the trial finds the files: the inputs name them in full. */
const root = join("/tmp", `paraph-mcp-trial-${process.env.PARAPH_MCP_TRIAL ?? process.pid}`);
process.env.PARAPH_MCP_TRIAL ??= String(process.pid);
const path = (name: string) => join(root, name);

/** A real server, with the profile that comes with Paraph. */
export default defineTrial({
  name: "disk",
  prepare: async () => {
    await mkdir(root, { recursive: true });
    return {};
  },
  cleanup: () => rm(root, { recursive: true, force: true }),
  adapter: mcp.stdio({
    command: process.execPath,
    args: [published("server-filesystem"), root],
    sandbox: shutIn ? { read: [modules], write: [root] } : false,
    profile: "filesystem",
  }),
  reset: async () => {
    for (const name of await readdir(root)) await rm(path(name), { recursive: true });
    await writeFile(path("a.txt"), "one\ntwo\n");
  },
  picture: async () => {
    const names = (await readdir(root)).sort();
    const texts = names.map((name) => readFile(path(name), "utf8").catch(() => "a folder"));
    return JSON.stringify([names, await Promise.all(texts)]);
  },
  cases: [
    { capability: "disk.read_text_file", input: { path: path("a.txt") } },
    {
      capability: "disk.write_file",
      input: { path: path("a.txt"), content: "one\nthree\n" },
      move: () => writeFile(path("a.txt"), "somebody else's\n"),
      large: [{ path: path("a.txt"), content: "x".repeat(1024 * 1024) }],
      crashes,
    },
    {
      capability: "disk.edit_file",
      input: { path: path("a.txt"), edits: [{ oldText: "two", newText: "three" }] },
      move: () => writeFile(path("a.txt"), "two and a half\n"),
      crashes,
    },
    { capability: "disk.create_directory", input: { path: path("folder") }, crashes },
    {
      capability: "disk.move_file",
      input: { source: path("a.txt"), destination: path("b.txt") },
      move: () => writeFile(path("b.txt"), "somebody else's\n"),
      crashes,
    },
  ],
});
