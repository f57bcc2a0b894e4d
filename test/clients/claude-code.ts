import { randomUUID } from "node:crypto";
import type { AgentDialect, McpEntry } from "./dialect.ts";

/** See https://code.claude.com/docs/en/mcp. The agent's own permission prompts are off for the tools of this server. */
export const claudeCodeDialect: AgentDialect = {
  binary: "claude",
  async command({ model, name, server }, { resume, patience }) {
    const config = JSON.stringify({ mcpServers: { [name]: toEntry(server) } });
    return {
      args: [
        ...["--bare", "--print", "--output-format", "json", "--model", "sonnet", "--tools", ""],
        ...["--strict-mcp-config", "--mcp-config", config, "--allowedTools", `mcp__${name}`],
        ...(resume === undefined ? ["--session-id", randomUUID()] : ["--resume", resume]),
      ],
      env: {
        ANTHROPIC_BASE_URL: model,
        ANTHROPIC_API_KEY: "sk-loopback",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        ...(patience !== undefined && { MCP_TOOL_TIMEOUT: String(patience * 1_000) }),
      },
    };
  },
  conversation: (printed) => (JSON.parse(printed) as { session_id: string }).session_id,
  use: (server, tool, input) => ({ tool: `mcp__${server}__${tool}`, input }),
  tools: ({ body }, server) =>
    (JSON.parse(body) as ParsedRequest).tools.map(({ name }) => name.replace(`mcp__${server}__`, "")),
  readToolResult({ body }) {
    const { messages } = JSON.parse(body) as ParsedRequest;
    const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const { content } = blocks.findLast(({ type }) => type === "tool_result")!;
    return typeof content === "string" ? content : content.map(({ text }) => text).join("\n");
  },
};

interface ParsedRequest {
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: string | readonly Block[] }[];
}

interface Block {
  readonly type: string;
  readonly content: string | readonly { readonly text: string }[];
}

function toEntry(server: McpEntry): object {
  const { kind: _kind, ...program } = server;
  return server.kind === "stdio"
    ? program
    : { type: "http", url: server.url, headers: { Authorization: `Bearer ${server.key}` } };
}
