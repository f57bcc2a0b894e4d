import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ConformanceCase,
  defineConformanceTest,
  type Fixture,
} from "../conformance/conformance-test.ts";
import { files } from "./index.ts";
import { snapshotFolder } from "./testing.ts";

const writeIn = (path: string, content: string) => (fixture: Fixture) =>
  writeFile(join(fixture.folder, path), content);

const cases: ConformanceCase[] = [
  {
    capability: "files.read",
    input: { path: "a.txt" },
    setUp: writeIn("large", "x".repeat(4 * 1024 * 1024)),
    large: [{ path: "large" }],
  },
  { capability: "files.list", input: { path: "." } },
  {
    capability: "files.write",
    title: "a new file",
    input: { path: "new.txt", content: "new\n" },
    changeBasis: writeIn("new.txt", "somebody else's"),
    large: [{ path: "new.txt", content: "x".repeat(32 * 1024 * 1024) }],
  },
  {
    capability: "files.write",
    title: "over a file",
    input: { path: "a.txt", content: "new\n" },
    changeBasis: writeIn("a.txt", "somebody else's"),
  },
  {
    capability: "files.move",
    input: { from: "a.txt", to: "b.txt" },
    changeBasis: writeIn("a.txt", "changed"),
  },
  { capability: "files.delete", input: { path: "a.txt" }, changeBasis: writeIn("a.txt", "changed") },
  {
    capability: "files.delete",
    title: "a folder",
    input: { path: "d", recursive: true },
    changeBasis: writeIn("d/sub/late", "nobody approved this"),
  },
  {
    capability: "files.copy",
    input: { from: "a.txt", to: "b.txt" },
    changeBasis: writeIn("a.txt", "changed"),
  },
  { capability: "files.mkdir", input: { path: "n" }, changeBasis: writeIn("n", "in the way") },
];

export default defineConformanceTest({
  name: "files",
  adapter: files({ root: ".", maxBytes: 1024 * 1024 }),
  snapshot: ({ folder }) => snapshotFolder(folder, false),
  async reset({ folder }) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
    await mkdir(join(folder, "d/sub"), { recursive: true });
    await writeFile(join(folder, "a.txt"), "in a.txt\n");
    await writeFile(join(folder, "d/sub/f"), "in d/sub/f\n");
  },
  cases,
});
