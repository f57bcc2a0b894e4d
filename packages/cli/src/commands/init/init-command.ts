import { type Command, Option } from "commander";
import { type RunCommand, readGlobals } from "../../lib/command-options.ts";
import { formatPresets, presetNames } from "./presets.ts";

/** Adds `paraph init`. */
export function addInitCommand(program: Command, run: RunCommand): void {
  program
    .command("init")
    .description("write a configuration for `paraph dev` and `paraph start`")
    .option("--folder <dir>", "folder to write to", ".")
    .option("--workspace <dir>", "folder below it that agents may work in (default: workspace)")
    .addOption(
      new Option("--policy <preset>", "how policy rules on calls (default: balanced)").choices(presetNames),
    )
    .option("-y, --yes", "write the files without asking")
    .addHelpText("after", initHelp)
    .action(async (options, command) =>
      run(readGlobals(command), async (context) => (await import("./init.ts")).initFolder(context, options)),
    );
}

const initHelp = `
Policies:
${formatPresets()}

The command never changes an existing file.`;
