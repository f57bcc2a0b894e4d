/**
 * An MCP server that misbehaves as configured, over the real protocol: JSON-RPC lines on its pipes. It reads its
 * definitions from a file for every request, so that a test can change them while the server runs.
 */
import { readFileSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { createInterface } from "node:readline";

interface Script {
  readonly tools?: readonly Record<string, unknown>[];
  readonly prompts?: readonly Record<string, unknown>[];
  readonly resources?: readonly Record<string, unknown>[];
  /** A line to print at the start that is not a message. */
  readonly chatter?: string;
  /** Whether to exit before the first answer. */
  readonly stillborn?: boolean;
  /** A text for the standard error at the start. */
  readonly complaint?: string;
  /** Whether to leave list requests unanswered. */
  readonly mute?: boolean;
}

const path = process.argv[2]!;
const readScript = (): Script => JSON.parse(readFileSync(path, "utf8"));
const sendMessage = (message: unknown) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...(message as object) })}\n`);

process.stderr.write(readScript().complaint ?? "");
if (readScript().stillborn) process.exit(3);
if (readScript().chatter) process.stdout.write(`${readScript().chatter}\n`);
// A test replaces the file atomically, so the watcher fires only when the new content is complete.
watch(dirname(path), (_, name) => {
  if (name === basename(path)) sendMessage({ method: "notifications/tools/list_changed" });
});

createInterface({ input: process.stdin })
  .on("line", (line) => handleMessage(JSON.parse(line)))
  .on("close", () => process.exit(0));

interface RpcMessage {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly arguments?: Record<string, unknown>;
    readonly _meta?: { progressToken?: unknown };
  };
}

function handleMessage({ id, method, params = {} }: RpcMessage): unknown {
  const { tools = [], prompts = [], resources = [], mute } = readScript();
  const result = (value: unknown) => sendMessage({ id, result: value });
  switch (method) {
    case "initialize":
      return result({
        protocolVersion: "2025-06-18",
        serverInfo: { name: "misbehaving", version: "1" },
        capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
      });
    case "tools/list":
      return mute ? undefined : result({ tools });
    case "prompts/list":
      return result({ prompts });
    case "prompts/get":
      return result({
        messages: [{ role: "user", content: { type: "text", text: JSON.stringify(params) } }],
      });
    case "resources/list":
      return result({ resources });
    case "resources/read":
      return result({ contents: [{ uri: params.uri, text: "what is there" }] });
    case "tools/call":
      return handleToolCall(params, result, id);
    default:
      if (id !== undefined) sendMessage({ id, error: { code: -32601, message: "no such method" } });
  }
}

/** Runs a tool. Its name selects the behavior. */
function handleToolCall(
  { name, arguments: given = {}, _meta }: NonNullable<RpcMessage["params"]>,
  result: (value: unknown) => unknown,
  id?: number,
): unknown {
  const text = (said: string, more = {}) => result({ content: [{ type: "text", text: said }], ...more });
  switch (name) {
    case "crash":
      return process.exit(7);
    case "tell":
      return text("told", { structuredContent: { [String(given.message)]: 1 } });
    case "slow":
      sendMessage({
        method: "notifications/progress",
        params: {
          progressToken: _meta?.progressToken,
          progress: 1,
          total: 4,
          message: given.message ?? "at it",
        },
      });
      return;
    case "flood":
      for (let said = 0; said < 5_000; said++) sendMessage({ method: "notifications/tools/list_changed" });
      return text("that is all");
    case "huge":
      return text("x".repeat(Number(given.bytes)));
    case "endless":
      process.stdout.write('{"jsonrpc":"2.0","id":');
      for (let written = 0; written < 12; written++) process.stdout.write("1".repeat(1024 * 1024));
      return;
    case "fail":
      return text(String(given.message), { isError: true });
    case "refuse":
      return sendMessage({
        id,
        error: { code: Number(given.code), message: String(given.message ?? "it refuses") },
      });
    case "liar":
      return text("done", { structuredContent: { count: "not a number" } });
    case "nonsense":
      return result({ content: "not a list" });
    case "environment":
      return text(JSON.stringify(process.env));
    default:
      return text(JSON.stringify({ name, given }));
  }
}
