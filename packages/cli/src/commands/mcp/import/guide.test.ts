import { readFileSync } from "node:fs";
import { parseMcpServers } from "@paraph/adapters/mcp/document";
import { expect, it } from "vitest";
import { mcpClients } from "../../../lib/mcp-clients/mcp-clients.ts";

const guide = readFileSync(new URL("../../../../../../docs/connect/mcp-import.md", import.meta.url), "utf8");

it("docs/connect/mcp-import.md: the documents are valid, and the table lists every client with its transport", () => {
  const documents = [...guide.matchAll(/^```json\n(.*?)^```/gms)].map(([, document]) => document!);
  expect(documents.map((document) => Object.keys(parseMcpServers(document, "paraph.mcp.json")))).toEqual([
    ["github", "notes"],
    ["memory"],
  ]);
  const rows = mcpClients.map(({ name, transport }) => [
    name,
    transport === "http" ? "over HTTP" : "by `paraph mcp`",
  ]);
  for (const [name, way] of rows) expect(guide).toMatch(new RegExp(`\\| ${name} \\|.*\\| ${way}`));
});
