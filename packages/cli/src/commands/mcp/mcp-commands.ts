import { resolve } from "node:path";
import type { Command } from "commander";
import { type GlobalOptions, type RunCommand, readGlobals } from "../../lib/command-options.ts";

/**
 * Adds `paraph mcp`. It serves clients that start MCP servers as programs, and operators who manage the MCP servers
 * behind Paraph.
 */
export function addMcpCommands(program: Command, runHere: RunCommand): void {
  const run: RunCommand = (globals: GlobalOptions & { readonly folder?: string }, command) =>
    runHere(globals, (context) => {
      if (globals.folder === undefined) return command(context);
      // Drops `PARAPH_URL` and the stored login, because a folder on the command line overrides their addresses.
      const { PARAPH_URL: _, ...environment } = context.environment;
      const folder = resolve(context.folder, globals.folder);
      return command({ ...context, environment, folder, ignoresLogin: true });
    });
  const mcp = program
    .command("mcp")
    .description(
      "serve MCP on standard input and output with an agent's API key, or manage the MCP servers behind Paraph",
    )
    .option("--server <adapter>", "serve only this adapter, with the server's own tool names")
    .option("--folder <dir>", "folder of Paraph's configuration and data (default: this folder)")
    .action(async ({ server }, command: Command) =>
      run(readGlobals(command), async (context) =>
        (await import("./mcp-serve.ts")).serveMcp(context, server),
      ),
    );
  mcp
    .command("import [servers...]")
    .description(
      "put the MCP servers of Claude, Cursor, VS Code, Codex and Gemini behind Paraph, or undo that",
    )
    .option("-y, --yes", "write the files without asking")
    .option("--undo", "restore every file of the last import, byte for byte")
    .option(
      "--entries",
      "with --undo: in files that you changed after the import, restore only the servers' entries",
    )
    .option(
      "--client <clients...>",
      "import only from these clients: claude-code, claude-desktop, cursor, vscode, codex, gemini",
    )
    .option("--project <dir>", "also import the configuration files of this project", ".")
    .option("--bridge", "make every client start `paraph mcp`, which needs no key in its environment")
    .option("--no-sandbox", "start servers without a sandbox, as their clients did")
    .action(async (servers, options, command: Command) =>
      run(readGlobals(command), async (context) =>
        (await import("./mcp-import.ts")).importMcpServers(context, servers, options),
      ),
    );
  mcp
    .command("pins <adapter>")
    .description("show and approve the changed definitions of an MCP server")
    .option("--approve <digests...>", "approve exactly these definitions, by the beginning of their digests")
    .option(
      "--in-file",
      "with --approve: change only the file `mcp-pins`, for every tenant, instead of calling a running Paraph",
    )
    .option(
      "--wait <time>",
      "how long to wait for the outcome, such as 30s or 5m (default: 10s, or 0 if the call needs approval)",
    )
    .action(async (adapter, options, command: Command) =>
      run(readGlobals(command), async (context) =>
        (await import("./mcp-pins.ts")).reviewMcpPins(context, adapter, options),
      ),
    );
  mcp
    .command("login <adapter>")
    .description("log in to an MCP server that requires a person's login, and store the tokens for Paraph")
    .option("--issuer <url>", "accept this issuer without asking, and no other")
    .option("--port <number>", "local port for the browser's redirect (default: any free port)", Number)
    .action(async (adapter, options, command: Command) =>
      run(readGlobals(command), async (context) =>
        (await import("./mcp-login.ts")).logInToMcpServer(context, adapter, options),
      ),
    );
  mcp
    .command("logout <adapter>")
    .description("revoke an MCP server's tokens at their issuer and delete them")
    .action(async (adapter, _, command: Command) =>
      run(readGlobals(command), async (context) =>
        (await import("./mcp-login.ts")).logOutOfMcpServer(context, adapter),
      ),
    );
}
