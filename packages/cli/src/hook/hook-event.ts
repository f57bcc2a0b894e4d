export const hookClients = ["claude-code", "codex", "gemini"] as const;
export type HookClient = (typeof hookClients)[number];

/** One tool use, as the client describes it before or after the use. */
export interface ToolUse {
  readonly client: HookClient;
  readonly session: string;
  readonly cwd: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The client's own id for this use, if the client has one. */
  readonly useId: string | undefined;
  /** The MCP server of the tool, if the client names it separately, as Gemini does. */
  readonly mcpServer?: string | undefined;
}

export type HookEvent =
  | { readonly kind: "before"; readonly of: ToolUse }
  | {
      readonly kind: "after";
      readonly of: ToolUse;
      readonly failed: boolean;
      readonly interrupted: boolean;
      readonly answer: unknown;
      readonly durationMs: number | undefined;
    };

const eventKinds: Readonly<Record<string, "before" | "after">> = {
  PreToolUse: "before",
  BeforeTool: "before",
  PostToolUse: "after",
  PostToolUseFailure: "after",
  AfterTool: "after",
};

/** Parses an event. Throws if the event is malformed. The hook treats this error as a denial. */
export function parseHookEvent(client: HookClient, text: string): HookEvent {
  const said = parseObject(text);
  const kind = eventKinds[requireText(said, "hook_event_name")];
  if (kind === undefined) throw new Error("the hook does not support this event.");
  const input = said.tool_input ?? {};
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw new Error("`tool_input` is not an object.");
  const of: ToolUse = {
    client,
    session: requireText(said, "session_id"),
    cwd: requireText(said, "cwd"),
    tool: requireText(said, "tool_name"),
    input: input as ToolUse["input"],
    useId: typeof said.tool_use_id === "string" ? said.tool_use_id : undefined,
    mcpServer: readServerName(said.mcp_context),
  };
  if (kind === "before") return { kind, of };
  const answer = said.tool_response ?? said.error;
  return {
    kind,
    of,
    answer,
    interrupted: said.is_interrupt === true,
    failed: said.hook_event_name === "PostToolUseFailure" || hasError(answer),
    durationMs: typeof said.duration_ms === "number" ? Math.round(said.duration_ms) : undefined,
  };
}

/** [P10] Parses a JSON object. It replaces the parser's error, because that error quotes the text. */
function parseObject(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    throw new Error("the client's event is not JSON.");
  }
}

function requireText(said: Record<string, unknown>, name: string): string {
  const value = said[name];
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`\`${name}\` is missing.`);
}

function readServerName(context: unknown): string | undefined {
  const name = (context as { server_name?: unknown } | undefined)?.server_name;
  return typeof name === "string" ? name : undefined;
}

/** Whether the answer contains an error, which is how Gemini reports a failure. */
function hasError(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "error" in answer && Boolean(answer.error);
}
