import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Capability, Json } from "@paraph/core";
import { expect, it } from "vitest";
import { hasSandbox } from "../process/testing.ts";
import { parseTestInput, readFault } from "../testing.ts";
import { mcp } from "./index.ts";
import {
  createFolder,
  createMcpFixture,
  createMcpTestContext,
  findPublishedServer,
} from "./testing/fixture.ts";

/** Opens the real server with the shipped profile, on a new folder. */
async function onFiles(folder: string) {
  const root = join(folder, "files");
  await mkdir(root);
  const modules = dirname(
    fileURLToPath(new URL("../../../../node_modules/.package-lock.json", import.meta.url)),
  );
  const adapter = mcp.stdio({
    command: process.execPath,
    args: [findPublishedServer("server-filesystem"), root],
    sandbox: hasSandbox ? { read: [modules], write: ["files"] } : false,
    profile: "filesystem",
  });
  return { root, there: await createMcpFixture(adapter, folder) };
}

const done = async (capability: Capability, input: Json) =>
  capability.parseOutput(await capability.apply(parseTestInput(capability, input), createMcpTestContext()));

it("the real server offers every tool of the shipped profile, with the contract that the profile declares", async () => {
  await using folder = await createFolder();
  const { there } = await onFiles(folder.path);
  await using _ = there;
  const nature = Object.fromEntries(
    (await there.open.capabilities()).map(({ contract }) => [
      contract.name.slice(4),
      `${contract.effect} ${contract.risk} ${contract.idempotency} ${contract.previews}`,
    ]),
  );
  expect(nature).toMatchObject({
    read_text_file: "read low natural false",
    write_file: "destroy high natural true",
    edit_file: "destroy high none true",
    move_file: "destroy high probe true",
    create_directory: "write low natural true",
  });
  expect(Object.values(nature).filter((each) => each === "read low natural false")).toHaveLength(10);
  expect(await there.open.health!(AbortSignal.timeout(60_000))).toEqual({ kind: "well" });

  const list = join(folder.path, "tools.json");
  await writeFile(list, JSON.stringify({ tools: there.open.facade!().tools }));
  const script = fileURLToPath(new URL("../../../../scripts/check-profile.ts", import.meta.url));
  const held = await promisify(execFile)(process.execPath, [
    ...["--conditions=paraph-source", script, "filesystem", list],
  ]);
  expect(held.stdout).toBe("0 wrong of 14 tools\n");
});

it("[P3] the preview of a write shows a diff, changes nothing, and has a basis that changes with the file", async () => {
  await using folder = await createFolder();
  const { root, there } = await onFiles(folder.path);
  await using _ = there;
  const write = await there.capability("write_file");
  const path = join(root, "note.txt");
  const input = parseTestInput(write, { path, content: "one\nthree\n" });
  expect(await write.preview!(input, createMcpTestContext())).toMatchObject({
    changes: [{ kind: "create", target: path }],
  });
  await writeFile(path, "one\ntwo\n");
  const preview = await write.preview!(input, createMcpTestContext());
  expect(preview.changes).toMatchObject([
    { kind: "update", target: path, diff: expect.stringContaining("-two\n+three") },
  ]);
  expect(await readFile(path, "utf8")).toBe("one\ntwo\n");
  expect(await write.preview!(input, createMcpTestContext())).toEqual(preview);
  await writeFile(path, "one\nfour\n");
  expect((await write.preview!(input, createMcpTestContext())).basis).not.toEqual(preview.basis);
  expect(await done(write, input)).toMatchObject({ kind: "valid" });
  expect(await readFile(path, "utf8")).toBe("one\nthree\n");
  expect(write.locks(input)).toEqual([`srv:${path}`]);
});

it("[P3] the preview of an edit uses the server's own dry run", async () => {
  await using folder = await createFolder();
  const { root, there } = await onFiles(folder.path);
  await using _ = there;
  const path = join(root, "note.txt");
  await writeFile(path, "one\ntwo\n");
  const edit = await there.capability("edit_file");
  const input = parseTestInput(edit, { path, edits: [{ oldText: "two", newText: "three" }] });
  const { changes } = await edit.preview!(input, createMcpTestContext());
  expect(changes).toMatchObject([{ kind: "update", diff: expect.stringContaining("+three") }]);
  expect(await readFile(path, "utf8")).toBe("one\ntwo\n");
  expect(await done(edit, input)).toMatchObject({ kind: "valid" });
  expect(await readFile(path, "utf8")).toBe("one\nthree\n");
  expect(await readFault(edit.preview!(input, createMcpTestContext()))).toBe("permanent mcp-preview-failed");
});

it("[P7] a probe finds whether a move happened, before and after it, and a reverse move undoes it", async () => {
  await using folder = await createFolder();
  const { root, there } = await onFiles(folder.path);
  await using _ = there;
  const [source, destination] = [join(root, "a.txt"), join(root, "b.txt")];
  await writeFile(source, "a");
  const move = await there.capability("move_file");
  const input = parseTestInput(move, { source, destination });
  const { basis, changes } = await move.preview!(input, createMcpTestContext());
  expect(changes).toMatchObject([
    { kind: "move", target: source, details: { to: destination, taken: false } },
  ]);
  expect(await move.probe!(input, createMcpTestContext({ basis }))).toEqual({ kind: "absent" });
  const output = await done(move, input);
  if (output.kind !== "valid") throw new Error("no output");
  const found = await move.probe!(input, createMcpTestContext({ basis }));
  expect(found).toMatchObject({ kind: "present" });
  expect(move.parseOutput((found as { output: Json }).output).kind).toBe("valid");
  const undo = move.undo!(input, output.value)!;
  expect(undo).toEqual({ capability: "srv.move_file", input: { source: destination, destination: source } });
  await done(move, undo.input);
  expect(await readFile(source, "utf8")).toBe("a");
});

it("[P8] the server's refusal of a path outside its folder is a permanent fault", async () => {
  await using folder = await createFolder();
  const { there } = await onFiles(folder.path);
  await using _ = there;
  const read = await there.capability("read_text_file");
  expect(await readFault(read.apply({ path: "/etc/passwd" }, createMcpTestContext()))).toBe(
    "permanent mcp-tool-error",
  );
});
