// A typical MCP server. `/echo` has one tool, and `/0` to `/19` have fifty each.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { sendToParent, stopOnDisconnect } from "../lib/in-child.ts";

const inputSchema = z.object({ text: z.string().max(10_000) });
const toolsEach = 50;

const handler = toNodeHandler(
  createMcpHandler(({ requestInfo }) => {
    const path = new URL(requestInfo!.url).pathname.slice(1);
    const server = new McpServer({ name: path, version: "1" });
    const names = path === "echo" ? ["echo"] : Array.from({ length: toolsEach }, (_, n) => `tool${n}`);
    for (const name of names)
      server.registerTool(
        name,
        { description: `Gives back what it is given, as ${name}`, inputSchema },
        ({ text }) => ({
          content: [{ type: "text", text }],
        }),
      );
    return server;
  }),
);
const server = createServer((request, response) => void handler(request as never, response));
server.listen(0, "127.0.0.1", () => {
  void sendToParent({ kind: "ready", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
stopOnDisconnect(async () => server.close());
