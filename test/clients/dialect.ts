import type { ModelRequest, ModelTurn } from "./model-server.ts";

/** The one MCP server that an agent is told of: an address, or a program to start. */
export type McpEntry =
  | { readonly kind: "http"; readonly url: string; readonly key: string }
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };

export interface AgentSetup {
  /** Where its model answers. */
  readonly model: string;
  /** What the server is called in the agent's configuration. */
  readonly name: string;
  readonly server: McpEntry;
  /** A folder of its own, for what it keeps. */
  readonly home: string;
}

export interface TurnOptions {
  /** Which conversation goes on; a new one unless given. */
  readonly resume?: string;
  /** After how many seconds the client itself gives up the call of a tool: its own default unless given. */
  readonly patience?: number;
}

/** What is known of one command-line agent: how it is started, and in which words it speaks with its model. */
export interface AgentDialect {
  readonly binary: string;
  command(setting: AgentSetup, talk: TurnOptions): Promise<AgentCommand>;
  /** The name of the conversation, in what it prints. */
  conversation(printed: string): string;
  /** The use of a tool, as its model says it. */
  use(server: string, tool: string, input: object): ModelTurn;
  /** The tools of the server that its model is offered. */
  tools(asked: ModelRequest, server: string): string[];
  /** What its model was told last of a tool it used. */
  readToolResult(asked: ModelRequest): string;
}

export interface AgentCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
