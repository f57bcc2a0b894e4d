import { Argument, type Command, InvalidArgumentError } from "commander";
import { hookClients } from "../../hook/hook-event.ts";
import { type RunCommand, readGlobals } from "../../lib/command-options.ts";

/**
 * Adds `paraph hook`, which makes coding agents ask Paraph before they use their own tools. `hook run` has a separate
 * entry point.
 */
export function addHookCommands(program: Command, run: RunCommand): void {
  const hook = program
    .command("hook")
    .description(
      "make coding agents (claude-code, codex, gemini) ask Paraph before they use their own tools",
    );
  hook
    .command("install")
    .addArgument(new Argument("<client>").choices(hookClients))
    .description("add the hook to the client's settings, after showing the change")
    .option("-y, --yes", "write the file without asking")
    .option("--project", "change this project's settings instead of yours")
    .option(
      "--wait <seconds>",
      "seconds to wait for an approver before the hook reports the call as pending",
      parseSeconds,
      300,
    )
    .option("--adapter <name>", "name of `codingAgent()` in the configuration (default: agent)")
    .option(
      "--gateway <names...>",
      "names of other MCP servers of the client whose calls already go through Paraph",
      [],
    )
    .action(async (client, options, command: Command) =>
      run(readGlobals(command), async (context) =>
        (await import("./hook-install.ts")).installHook(context, client, options),
      ),
    );
  hook
    .command("uninstall")
    .addArgument(new Argument("<client>").choices(hookClients))
    .description("remove the hook; an otherwise unchanged file is restored byte for byte")
    .option("-y, --yes", "write the file without asking")
    .option("--project", "change this project's settings instead of yours")
    .action(async (client, options, command: Command) =>
      run(readGlobals(command), async (context) =>
        (await import("./hook-install.ts")).uninstallHook(context, client, options),
      ),
    );
}

function parseSeconds(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Pass a whole number of seconds below 10000.");
}
