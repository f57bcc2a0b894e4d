import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentDialect, McpEntry } from "./dialect.ts";

const disabledTools = ["shell_tool", "unified_exec", "view_image", "multi_agent", "goals"];

/** Without these settings, Codex would continue without a server that starts slowly. */
const startupSettings = ["required = true", "startup_timeout_sec = 30"];

/**
 * See https://developers.openai.com/codex/mcp. The agent's own permission prompts are off for the tools of this server.
 */
export const codexDialect: AgentDialect = {
  binary: "codex",
  async command({ model, name, server, home }, { resume, patience }) {
    const config = [
      'model_provider = "loopback"',
      `model_providers.loopback = { name = "loopback", base_url = "${model}/v1", env_key = "CODEX_API_KEY" }`,
      ...[
        `[mcp_servers.${name}]`,
        ...toEntry(server),
        'default_tools_approval_mode = "approve"',
        ...startupSettings,
      ],
      ...(patience === undefined ? [] : [`tool_timeout_sec = ${patience}`]),
    ];
    await writeFile(join(home, "config.toml"), config.join("\n"));
    const [resuming, conversation] = resume === undefined ? [[], []] : [["resume"], [resume]];
    return {
      args: [
        ...["exec", ...resuming, "--json", "--skip-git-repo-check", "--model", "gpt-5"],
        ...disabledTools.map((tool) => `--disable=${tool}`),
        ...[...conversation, "-"],
      ],
      env: {
        CODEX_HOME: home,
        CODEX_API_KEY: "sk-loopback",
        ...(server.kind === "http" && { PARAPH_KEY: server.key }),
      },
    };
  },
  conversation: (printed) => (JSON.parse(printed.split("\n")[0]!) as { thread_id: string }).thread_id,
  use: (server, tool, input) => ({ tool, namespace: `mcp__${server}`, input }),
  tools: ({ body }, server) =>
    (JSON.parse(body) as ParsedRequest).tools
      .filter(({ name }) => name === `mcp__${server}`)
      .flatMap(({ tools = [] }) => tools.map(({ name }) => name)),
  readToolResult({ body }) {
    const { output } = (JSON.parse(body) as ParsedRequest).input.findLast(
      ({ type }) => type === "function_call_output",
    )!;
    return typeof output === "string" ? output : output.map(({ text }) => text).join("\n");
  },
};

interface ParsedRequest {
  readonly tools: readonly { readonly name: string; readonly tools?: readonly { readonly name: string }[] }[];
  readonly input: readonly {
    readonly type: string;
    readonly output: string | readonly { readonly text: string }[];
  }[];
}

/** Writes values as JSON where TOML uses the same syntax. */
function toEntry(server: McpEntry): string[] {
  if (server.kind === "http") return [`url = "${server.url}"`, 'bearer_token_env_var = "PARAPH_KEY"'];
  const { command, args, env } = server;
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    `env = { ${variables.join(", ")} }`,
  ];
}
