import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

export interface Hosted extends AsyncDisposable {
  readonly url: string;
  /** The headers of every request so far. */
  readonly seen: IncomingHttpHeaders[];
  /** What it answers from now on, instead of serving. */
  status: number | undefined;
  /** Ends the connection without an answer as soon as a tool is called. */
  hangUp: boolean;
}

/** A server of the new era behind a real socket, which can be told to fail on the way. */
export async function hosted(): Promise<Hosted> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "hosted", version: "1" }, { capabilities: { tools: {} } });
    server.registerTool(
      "echo",
      { description: "Says it back.", inputSchema: z.object({ text: z.string() }) },
      async ({ text }) => ({ content: [{ type: "text", text }] }),
    );
    return server;
  });
  const serve = toNodeHandler(handler) as (request: IncomingMessage, response: ServerResponse) => void;
  const state = { seen: [] as IncomingHttpHeaders[], status: undefined as number | undefined, hangUp: false };
  const listening = createServer((request, response) => {
    state.seen.push(request.headers);
    if (state.hangUp && request.headers["mcp-method"] === "tools/call") return void request.socket.destroy();
    if (state.status !== undefined)
      return void response.writeHead(state.status, { location: "http://127.0.0.1:9/" }).end();
    return serve(request, response);
  });
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await handler.close();
      listening.closeAllConnections();
      await new Promise((resolve) => listening.close(resolve));
    },
  });
}
