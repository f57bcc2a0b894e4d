import type { Command } from "commander";
import type { Globals, Run } from "./program.ts";

/** `paraph mcp …`: for those who answer for the MCP servers behind Paraph. */
export function addMcpCommands(program: Command, run: Run): void {
  const mcp = program.command("mcp").description("look after the MCP servers behind Paraph");
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
}
