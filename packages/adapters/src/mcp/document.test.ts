import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { hasSandbox } from "../process/testing.ts";
import { parseTestInput } from "../testing.ts";
import { parseMcpServers } from "./document.ts";
import {
  createFolder,
  createMcpFixture,
  createMcpTestContext,
  findPublishedServer,
} from "./testing/fixture.ts";

it("opens the named server with secrets in its arguments, and its sandbox hides Paraph's own folders", async () => {
  await using folder = await createFolder();
  for (const own of [".paraph", "secrets"]) {
    await mkdir(join(folder.path, own));
    await writeFile(join(folder.path, own, "key"), "canary");
  }
  await writeFile(join(folder.path, "note"), "a note");
  const modules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
  const text = JSON.stringify({
    servers: {
      disk: {
        kind: "stdio",
        command: process.execPath,
        args: [findPublishedServer("server-filesystem"), `\${WHERE}`],
        sandbox: hasSandbox ? { read: [modules], write: ["."] } : false,
        profile: "filesystem",
      },
    },
  });
  const { disk } = parseMcpServers(text, "paraph.mcp.json");
  await using fixture = await createMcpFixture(disk!, folder.path, { WHERE: folder.path });
  const read = await fixture.capability("read_text_file");
  const contentOf = async (name: string) =>
    JSON.stringify(
      await read.apply(parseTestInput(read, { path: join(folder.path, name) }), createMcpTestContext()),
    );
  expect(await contentOf("note")).toContain('"type":"text"');
  if (!hasSandbox) return;
  for (const own of [".paraph/key", "secrets/key"]) await expect(contentOf(own)).rejects.toThrow();
});

it.each([
  ["{", "is not valid JSON"],
  ["{}", "`servers`: "],
  ['{"servers": {"Not-A-Name": {"kind": "http", "url": "https://x.example"}}}', "servers.Not-A-Name"],
  ['{"servers": {"a": {"kind": "stdio"}}}', "servers.a.command"],
  ['{"servers": {"a": {"kind": "http", "url": "https://x.example", "more": 1}}}', "more"],
])("reports the fault in %s", (text, message) => {
  expect(() => parseMcpServers(text, "paraph.mcp.json")).toThrow(message);
});
