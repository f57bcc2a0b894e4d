import { addAbortSignal } from "node:stream";
import { splitLines } from "@paraph/core/split-lines";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { runMcpBridge } from "./mcp-bridge.ts";

/** Serves MCP on standard input and output, as the agent with the configured key. */
export async function serveMcp(context: Context, server: string | undefined): Promise<ExitCode> {
  const { url, key } = await resolveConnection(context, "agent");
  const path = server === undefined ? "/mcp" : `/mcp/${encodeURIComponent(server)}`;
  await runMcpBridge(readInputLines(context.signal), {
    url: new URL(path, url).href,
    key,
    signal: context.signal,
    write: (message) => context.output.raw(`${JSON.stringify(message)}\n`),
  });
  return exitCode.ok;
}

async function* readInputLines(signal: AbortSignal): AsyncGenerator<string> {
  try {
    yield* splitLines(addAbortSignal(signal, process.stdin.setEncoding("utf8")));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
