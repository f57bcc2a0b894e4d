import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { listProcessDescendants, waitUntilGone } from "./descendants.ts";
import type { AgentDialect, McpEntry, TurnOptions } from "./dialect.ts";
import { binaries } from "./installed.ts";
import { type ModelServer, type ModelTurn, startModelServer } from "./model-server.ts";

export interface TurnResult {
  readonly conversation: string;
  /** The tools of the server that the model was offered. */
  readonly tools: readonly string[];
  /** The results that the model received from the tools it used. */
  readonly toolResults: readonly string[];
}

export interface RunningAgent {
  readonly ended: Promise<TurnResult>;
  /** Kills the agent at any point. Resolves once the programs that it started have also exited. */
  kill(): Promise<void>;
}

/** A real command-line agent with one MCP server, and a model that uses the tools that a test names. */
export class CommandLineAgent implements AsyncDisposable {
  readonly #dialect: AgentDialect;
  readonly #server: McpEntry;
  readonly #model: ModelServer;
  readonly #turns: ModelTurn[];
  readonly #home: string;
  #kill = async (): Promise<void> => {};

  private constructor(
    dialect: AgentDialect,
    server: McpEntry,
    model: ModelServer,
    turns: ModelTurn[],
    home: string,
  ) {
    this.#dialect = dialect;
    this.#server = server;
    this.#model = model;
    this.#turns = turns;
    this.#home = home;
  }

  static async create(dialect: AgentDialect, server: McpEntry): Promise<CommandLineAgent> {
    const turns: ModelTurn[] = [];
    const model = await startModelServer(() => turns.shift() ?? "That is all for now.");
    const home = await mkdtemp(join(tmpdir(), "paraph-agent-home-"));
    return new CommandLineAgent(dialect, server, model, turns, home);
  }

  /** Lets the model use these tools, one after another, and end its turn. */
  async turn(uses: readonly AgentToolUse[], talk: TurnOptions = {}): Promise<TurnResult> {
    return (await this.begin(uses, talk)).ended;
  }

  async begin(uses: readonly AgentToolUse[], talk: TurnOptions = {}): Promise<RunningAgent> {
    const [dialect, from] = [this.#dialect, this.#model.requests.length];
    this.#turns.splice(
      0,
      this.#turns.length,
      ...uses.map(([tool, input]) => dialect.use(serverName, tool, input)),
    );
    const { args, env } = await dialect.command(
      { model: this.#model.url, name: serverName, server: this.#server, home: this.#home },
      talk,
    );
    const child = spawn(join(binaries, dialect.binary), args, {
      cwd: this.#home,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
        HOME: this.#home,
        ...env,
      },
    });
    const said = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.err += text;
    });
    child.stdin.end("Go on.");
    const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
    this.#kill = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const started = listProcessDescendants(child.pid!);
      process.kill(-child.pid!, "SIGKILL");
      await Promise.all([closed, waitUntilGone(started)]);
    };
    const ended = closed.then((code): TurnResult => {
      const [first, ...later] = this.#model.requests.slice(from);
      if (code !== 0 || !first)
        throw new Error(`${dialect.binary} ended with ${code}: ${said.err}${said.out}`);
      return {
        conversation: dialect.conversation(said.out),
        tools: dialect.tools(first, serverName),
        toolResults: later.map(dialect.readToolResult),
      };
    });
    ended.catch(() => {});
    return { ended, kill: this.#kill };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kill();
    await this.#model[Symbol.asyncDispose]();
    await rm(this.#home, { recursive: true, force: true });
  }
}

/** The server's own name of a tool, and the tool's input. */
export type AgentToolUse = readonly [tool: string, input: object];

const serverName = "letters";
