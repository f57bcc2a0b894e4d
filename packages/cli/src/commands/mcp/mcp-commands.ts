import { resolve } from "node:path";
import type { Command } from "commander";
import type { GlobalOptions, RunCommand } from "../../program.ts";

/**
 * Adds `paraph mcp`, for clients that start their MCP servers, and for operators who manage the servers behind Paraph.
 */
export function addMcpCommands(program: Command, runHere: RunCommand): void {
  const run: RunCommand = (globals: GlobalOptions & { readonly folder?: string }, command) =>
    runHere(globals, (context) => {
      if (globals.folder === undefined) return command(context);
      // A folder on the command line overrides an address from the environment.
      const { PARAPH_URL: _, ...environment } = context.environment;
      return command({ ...context, environment, folder: resolve(context.folder, globals.folder) });
    });
  const mcp = program
    .command("mcp")
    .description(
      "speak MCP on standard input and output, as an agent; or look after the MCP servers behind Paraph",
    )
    .option("--server <adapter>", "only this one, under its own names")
    .option("--folder <dir>", "where Paraph's configuration and data are, unless in this folder")
    .action(async ({ server }, command: Command) =>
      run(command.optsWithGlobals() as GlobalOptions, async (context) =>
        (await import("./mcp-serve.ts")).serveMcp(context, server),
      ),
    );
  mcp
    .command("import [servers...]")
    .description(
      "put the MCP servers of Claude, Cursor, VS Code, Codex and Gemini behind Paraph, or undo that",
    )
    .option("-y, --yes", "write it, without asking")
    .option("--undo", "put every file of the last import back, byte for byte")
    .option("--entries", "with --undo: of files that were changed since, put only the servers' entries back")
    .option("--client <clients...>", "only these: claude-code, claude-desktop, cursor, vscode, codex, gemini")
    .option("--project <dir>", "the project whose own files are looked at too", ".")
    .option("--bridge", "have every client start `paraph mcp`, which needs no key in its environment")
    .option("--no-sandbox", "start servers as their clients did: they see everything")
    .action(async (servers, options, command: Command) =>
      run(command.optsWithGlobals() as GlobalOptions, async (context) =>
        (await import("./mcp-import.ts")).importMcpServers(context, servers, options),
      ),
    );
  mcp
    .command("pins <adapter>")
    .description("show what an MCP server offers otherwise than it was approved, and approve it")
    .option(
      "--approve <digests...>",
      "approve exactly these, by the beginning of what is shown as their digest",
    )
    .option("--wait <time>", "wait for a second person where one is asked: seconds, or e.g. 5m")
    .action(async (adapter, options, command: Command) =>
      run(command.optsWithGlobals() as GlobalOptions, async (context) =>
        (await import("./mcp-pins.ts")).reviewMcpPins(context, adapter, options),
      ),
    );
  mcp
    .command("login <adapter>")
    .description("log in at an MCP server that wants a person's login, and keep it for Paraph")
    .option("--issuer <url>", "agree to this issuer beforehand, and to no other")
    .option("--port <number>", "where the browser comes back to on this machine, instead of any port", Number)
    .action(async (adapter, options, command: Command) =>
      run(command.optsWithGlobals() as GlobalOptions, async (context) =>
        (await import("./mcp-login.ts")).logInToMcpServer(context, adapter, options),
      ),
    );
  mcp
    .command("logout <adapter>")
    .description("take an MCP server's tokens back at their issuer, and forget them")
    .action(async (adapter, _, command: Command) =>
      run(command.optsWithGlobals() as GlobalOptions, async (context) =>
        (await import("./mcp-login.ts")).logOutOfMcpServer(context, adapter),
      ),
    );
}
