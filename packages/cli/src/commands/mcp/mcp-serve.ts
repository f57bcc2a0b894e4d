import { createInterface } from "node:readline";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { runMcpBridge } from "./mcp-bridge.ts";

/** Serves MCP on standard input and output, as the agent with the configured key. */
export async function serveMcp(context: Context, server: string | undefined): Promise<ExitCode> {
  const { url, key } = await resolveConnection(context, "agent");
  const path = server === undefined ? "/mcp" : `/mcp/${encodeURIComponent(server)}`;
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  context.signal.addEventListener("abort", () => lines.close(), { once: true });
  await runMcpBridge(lines, {
    url: new URL(path, url).href,
    key,
    signal: context.signal,
    write: (message) => context.output.raw(`${JSON.stringify(message)}\n`),
  });
  return exitCode.ok;
}
