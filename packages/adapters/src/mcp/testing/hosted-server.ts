import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

export interface HostedServer extends AsyncDisposable {
  readonly url: string;
  /** The headers of every request so far. */
  readonly seen: IncomingHttpHeaders[];
  /** The client ports of all tool calls so far. */
  readonly callers: (number | undefined)[];
  /** The status that the server answers with instead of serving, or undefined to serve normally. */
  status: number | undefined;
  /** Whether to close the connection without an answer when a tool is called. */
  hangUp: boolean | "once";
  /** The content type of the 300 MB answer to each call, or undefined for normal answers. */
  flood: "application/json" | "text/event-stream" | undefined;
  /** The number of bytes of such answers that the client has read. */
  flooded: number;
  /** Whether the client aborted the last of these answers. */
  brokenOff: boolean;
  /** The issuer whose token is required. */
  issuer: string | undefined;
  /** Adds a tool and announces it. */
  grow(): void;
}

/** Starts a streamable HTTP server on a real socket. It can be configured to fail. */
export async function startHostedServer(): Promise<HostedServer> {
  const tools = ["echo"];
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: "hosted", version: "1" },
      { capabilities: { tools: { listChanged: true } } },
    );
    for (const name of tools)
      server.registerTool(
        name,
        { description: "Says it back.", inputSchema: z.object({ text: z.string() }) },
        async ({ text }) => ({ content: [{ type: "text", text }] }),
      );
    return server;
  });
  const serve = toNodeHandler(handler) as (request: IncomingMessage, response: ServerResponse) => void;
  const seen: IncomingHttpHeaders[] = [];
  const callers: (number | undefined)[] = [];
  const state: Pick<HostedServer, "status" | "hangUp" | "flood" | "flooded" | "brokenOff" | "issuer"> = {
    status: undefined,
    hangUp: false,
    flood: undefined,
    flooded: 0,
    brokenOff: false,
    issuer: undefined,
  };
  const listening = createServer((request, response) => {
    const { headers, socket, url } = request;
    const metadata = `http://${headers.host}/.well-known/oauth-protected-resource/mcp`;
    if (url?.startsWith("/.well-known/oauth-protected-resource"))
      return void respondWithJson(response, {
        resource: `http://${headers.host}/mcp`,
        authorization_servers: [state.issuer],
      });
    seen.push(headers);
    if (headers["mcp-method"] === "tools/call") {
      callers.push(socket.remotePort);
      const { hangUp } = state;
      if (hangUp === "once") state.hangUp = false;
      if (hangUp) return void socket.destroy();
      if (state.flood) return void floodResponse(response, state);
    }
    if (state.status !== undefined)
      return void response.writeHead(state.status, { location: "http://127.0.0.1:9/" }).end();
    if (state.issuer !== undefined && headers.authorization !== `Bearer ${issuedToken}`)
      return void response
        .writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` })
        .end();
    return serve(request, response);
  });
  const { origin, close } = await startListening(listening);
  return Object.assign(state, {
    url: `${origin}/mcp`,
    seen,
    callers,
    grow: () => {
      tools.push("more");
      handler.notify.toolsChanged();
    },
    [Symbol.asyncDispose]: async () => {
      await handler.close();
      await close();
    },
  });
}

/** Writes one endless message, for as long as the client reads it. */
async function floodResponse(
  response: ServerResponse,
  state: Pick<HostedServer, "flood" | "flooded" | "brokenOff">,
) {
  response.writeHead(200, { "content-type": state.flood });
  const message = function* () {
    yield Buffer.from('data: {"jsonrpc":"2.0","id":"');
    for (const chunk of Array(300).fill(Buffer.alloc(1024 * 1024, "x"))) {
      state.flooded += chunk.length;
      yield chunk;
    }
  };
  await pipeline(message(), response).catch(() => {
    state.brokenOff = true;
  });
}

export interface TokenIssuer extends AsyncDisposable {
  readonly url: string;
  /** The token requests so far. */
  readonly requests: { readonly authorization: string | undefined; readonly body: string }[];
}

/** Starts an issuer that gives the same token to every client. */
export async function startTokenIssuer(): Promise<TokenIssuer> {
  const asked: TokenIssuer["requests"] = [];
  const listening = createServer(async (request, response) => {
    const url = `http://${request.headers.host}`;
    if (request.url !== "/token") {
      const metadata = {
        issuer: url,
        token_endpoint: `${url}/token`,
        authorization_endpoint: `${url}/authorize`,
      };
      const grants = { grant_types_supported: ["client_credentials"], response_types_supported: ["code"] };
      return void respondWithJson(response, { ...metadata, ...grants });
    }
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push({ authorization: request.headers.authorization, body });
    respondWithJson(response, { access_token: issuedToken, token_type: "Bearer", expires_in: 3_600 });
  });
  const { origin, close } = await startListening(listening);
  return { url: origin, requests: asked, [Symbol.asyncDispose]: close };
}

const issuedToken = "token-of-the-issuer";

function respondWithJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function startListening(listening: ReturnType<typeof createServer>) {
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      listening.closeAllConnections();
      await new Promise<void>((resolve) => listening.close(() => resolve()));
    },
  };
}
