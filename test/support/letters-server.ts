import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** An MCP server without any code of Paraph. It records the letters that were really sent. */
export interface LettersServer extends AsyncDisposable {
  readonly url: string;
  /** The recipients in order, twice if a letter was sent twice. */
  readonly sent: readonly string[];
}

export const letterTools = ["readLetters", "sendLetter"];

export async function startLettersServer(): Promise<LettersServer> {
  const sent: string[] = [];
  const handler = toNodeHandler(createMcpHandler(() => createLettersServer(sent)));
  const http = createServer((request, response) => void handler(request as never, response));
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    sent,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
    },
  };
}

/** Creates the server. Clients know the output schema of `sendLetter` and validate every answer against it. */
function createLettersServer(sent: string[]): McpServer {
  const server = new McpServer({ name: "letters", version: "1" });
  const to = z.object({ to: z.string() });
  server.registerTool("readLetters", { description: "Read a letter", inputSchema: to }, ({ to }) => ({
    content: [{ type: "text", text: `a letter to ${to}` }],
  }));
  server.registerTool(
    "sendLetter",
    { description: "Send a letter", inputSchema: to, outputSchema: z.object({ sentTo: z.string() }) },
    ({ to }) => {
      sent.push(to);
      return { content: [{ type: "text", text: `sent to ${to}` }], structuredContent: { sentTo: to } };
    },
  );
  return server;
}
