import type { ModelRequest, ModelTurn } from "./model-server.ts";

/** The one MCP server of an agent: an address, or a program to start. */
export type McpEntry =
  | { readonly kind: "http"; readonly url: string; readonly key: string }
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };

export interface AgentSetup {
  readonly model: string;
  /** The name of the server in the agent's configuration. */
  readonly name: string;
  readonly server: McpEntry;
  /** The agent's own folder for its files. */
  readonly home: string;
}

export interface TurnOptions {
  /** The conversation to continue. The default is a new one. */
  readonly resume?: string;
  /**
   * The number of seconds after which the client itself gives up on a tool call. The default is the client's own limit.
   */
  readonly patience?: number;
}

/** The specifics of one command-line agent: how to start it, and the format of its requests to the model. */
export interface AgentDialect {
  readonly binary: string;
  command(setting: AgentSetup, talk: TurnOptions): Promise<AgentCommand>;
  /** Returns the name of the conversation from the agent's output. */
  conversation(printed: string): string;
  /** Returns the use of a tool in the model's format. */
  use(server: string, tool: string, input: object): ModelTurn;
  /** Returns the tools of the server that the agent offers to its model. */
  tools(request: ModelRequest, server: string): string[];
  /** Returns the last tool result that the agent sent to its model. */
  readToolResult(request: ModelRequest): string;
}

export interface AgentCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
