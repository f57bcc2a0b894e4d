import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Case, defineTrial, type Ground } from "../conformance/trial.ts";
import { files } from "./index.ts";
import { everythingIn } from "./testing.ts";

const put = (path: string, content: string) => (ground: Ground) =>
  writeFile(join(ground.folder, path), content);

const cases: Case[] = [
  {
    capability: "files.read",
    input: { path: "a.txt" },
    given: put("large", "x".repeat(4 * 1024 * 1024)),
    large: [{ path: "large" }],
  },
  { capability: "files.list", input: { path: "." } },
  {
    capability: "files.write",
    title: "a new file",
    input: { path: "new.txt", content: "new\n" },
    move: put("new.txt", "somebody else's"),
    large: [{ path: "new.txt", content: "x".repeat(32 * 1024 * 1024) }],
  },
  {
    capability: "files.write",
    title: "over a file",
    input: { path: "a.txt", content: "new\n" },
    move: put("a.txt", "somebody else's"),
  },
  { capability: "files.move", input: { from: "a.txt", to: "b.txt" }, move: put("a.txt", "changed") },
  { capability: "files.delete", input: { path: "a.txt" }, move: put("a.txt", "changed") },
  {
    capability: "files.delete",
    title: "a folder",
    input: { path: "d", recursive: true },
    move: put("d/sub/late", "nobody approved this"),
  },
  { capability: "files.copy", input: { from: "a.txt", to: "b.txt" }, move: put("a.txt", "changed") },
  { capability: "files.mkdir", input: { path: "n" }, move: put("n", "in the way") },
];

export default defineTrial({
  name: "files",
  adapter: files({ root: ".", maxBytes: 1024 * 1024 }),
  picture: ({ folder }) => everythingIn(folder, false),
  async reset({ folder }) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
    await mkdir(join(folder, "d/sub"), { recursive: true });
    await writeFile(join(folder, "a.txt"), "in a.txt\n");
    await writeFile(join(folder, "d/sub/f"), "in d/sub/f\n");
  },
  cases,
});
