import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** A server over HTTP that keeps the headers and the body of every request, and the letters that it sent. */
export interface PostOffice extends AsyncDisposable {
  readonly url: string;
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
  readonly sent: string[];
}

export async function startPostOffice(): Promise<PostOffice> {
  const seen: PostOffice["requests"] = [];
  const sent: string[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "post-office", version: "1" });
    const letter = { description: "Send a letter", inputSchema: z.object({ to: z.string() }) };
    server.registerTool("sendLetter", letter, ({ to }) => {
      sent.push(to);
      return { content: [{ type: "text", text: `sent to ${to}` }] };
    });
    server.registerTool("countLetters", { description: "How many were sent" }, () => ({
      content: [{ type: "text", text: "some" }],
    }));
    return server;
  });
  const serve = toNodeHandler(handler);
  const listening = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    seen.push({ headers: request.headers, body });
    void serve(request as never, response, body === "" ? undefined : JSON.parse(body));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => listening.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/mcp`,
    requests: seen,
    sent,
    [Symbol.asyncDispose]: async () => {
      await handler.close();
      listening.closeAllConnections();
      await new Promise((resolve) => listening.close(resolve));
    },
  };
}

/** Returns a stdio server that writes everything it receives to a file. */
export function createSpyServer(folder: string) {
  const program = fileURLToPath(new URL("./spy-server.ts", import.meta.url));
  const path = `${folder}/notes.jsonl`;
  return {
    args: ["--no-warnings", program, path, "its-own-argument"],
    notes: () => readFile(path, "utf8"),
  };
}
