import type { Command } from "commander";
import type { Globals, Run } from "./program.ts";

/** `paraph mcp`: for clients that start their MCP servers; and for those who answer for the servers behind Paraph. */
export function addMcpCommands(program: Command, run: Run): void {
  const mcp = program
    .command("mcp")
    .description(
      "speak MCP on standard input and output, as an agent; or look after the MCP servers behind Paraph",
    )
    .option("--server <adapter>", "only this one, under its own names")
    .action(async ({ server }, command: Command) =>
      run(command.optsWithGlobals() as Globals, async (context) =>
        (await import("./commands/mcp-serve.ts")).mcpServe(context, server),
      ),
    );
  mcp
    .command("pins <adapter>")
    .description("show what an MCP server offers otherwise than it was approved, and approve it")
    .option(
      "--approve <digests...>",
      "approve exactly these, by the beginning of what is shown as their digest",
    )
    .action(async (adapter, options, command: Command) =>
      run(command.optsWithGlobals() as Globals, async (context) =>
        (await import("./commands/mcp-pins.ts")).mcpPins(context, adapter, options),
      ),
    );
  mcp
    .command("login <adapter>")
    .description("log in at an MCP server that wants a person's login, and keep it for Paraph")
    .option("--issuer <url>", "agree to this issuer beforehand, and to no other")
    .option("--port <number>", "where the browser comes back to on this machine, instead of any port", Number)
    .action(async (adapter, options, command: Command) =>
      run(command.optsWithGlobals() as Globals, async (context) =>
        (await import("./commands/mcp-login.ts")).mcpLogin(context, adapter, options),
      ),
    );
  mcp
    .command("logout <adapter>")
    .description("take an MCP server's tokens back at their issuer, and forget them")
    .action(async (adapter, _, command: Command) =>
      run(command.optsWithGlobals() as Globals, async (context) =>
        (await import("./commands/mcp-login.ts")).mcpLogout(context, adapter),
      ),
    );
}
