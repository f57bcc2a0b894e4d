import { type Command, InvalidArgumentError } from "commander";
import type { GlobalOptions, RunCommand } from "../../program.ts";

/**
 * Adds `paraph hook`, which makes coding agents ask before they use their own tools. `hook run` has a separate entry
 * point.
 */
export function addHookCommands(program: Command, run: RunCommand): void {
  const hook = program
    .command("hook")
    .description("have coding agents (claude-code, codex, gemini) ask before they use tools of their own");
  hook
    .command("install <client>")
    .description("write the hook into the client's settings, after showing it")
    .option("-y, --yes", "write it, without asking")
    .option("--project", "into this project's settings instead of yours")
    .option(
      "--wait <seconds>",
      "how long a person may take before the agent is told that it waits",
      parseSeconds,
      300,
    )
    .option("--adapter <name>", "what the configuration calls `codingAgent()`, unless `agent`")
    .option("--gateway <names...>", "further MCP servers of the client that come through Paraph already", [])
    .action(async (client, options, command: Command) =>
      run(command.optsWithGlobals() as GlobalOptions, async (context) =>
        (await import("./hook-install.ts")).installHook(context, client, options),
      ),
    );
  hook
    .command("uninstall <client>")
    .description("take the hook out again: byte for byte as it was, where nobody changed the file since")
    .option("-y, --yes", "write it, without asking")
    .option("--project", "out of this project's settings instead of yours")
    .action(async (client, options, command: Command) =>
      run(command.optsWithGlobals() as GlobalOptions, async (context) =>
        (await import("./hook-install.ts")).uninstallHook(context, client, options),
      ),
    );
}

function parseSeconds(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It is a whole number of seconds, below 10000.");
}
