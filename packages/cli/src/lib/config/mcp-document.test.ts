import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { files } from "@paraph/adapters/files";
import { expect, it, onTestFinished } from "vitest";
import { addMcpServers, mcpDocumentName } from "./mcp-document.ts";

it("adds the document's servers to the configuration's adapters; a name that both have is an error", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-document-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const own = { adapters: { files: files({ root: "." }) } };
  expect(await addMcpServers(own, folder)).toBe(own);

  const write = (servers: object) => writeFile(join(folder, mcpDocumentName), JSON.stringify({ servers }));
  await write({ shop: { kind: "http", url: "https://shop.example/mcp" } });
  const { adapters } = await addMcpServers(own, folder);
  expect(Object.entries(adapters!).map(([name, { kind }]) => [name, kind])).toEqual([
    ["files", "files"],
    ["shop", "mcp"],
  ]);

  await write({ files: { kind: "http", url: "https://shop.example/mcp" } });
  await expect(addMcpServers(own, folder)).rejects.toThrow(/Both .* have an adapter `files`\. Rename/);
});
