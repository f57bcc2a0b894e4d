import type { Command } from "commander";
import { type RunCommand, readGlobals } from "../../lib/command-options.ts";

/** Adds the commands that remove data from the database. */
export function addRetentionCommands(program: Command, run: RunCommand): void {
  addDatabaseOptions(program.command("erase [call]"))
    .description("erase the payloads of a closed call, or of all closed calls that contain a text")
    .requiredOption("--reason <text>", "reason, kept on record and shown instead of the payloads")
    .option("--subject <text>", "erase all closed calls whose payloads or comments contain this text")
    .option("--dry-run", "list what would be erased, and change nothing")
    .option("-y, --yes", "erase without asking")
    .addHelpText("after", eraseExamples)
    .action(async (call, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./erase.ts")).erase(context, call, options),
      ),
    );
}

function addDatabaseOptions(command: Command): Command {
  return command
    .option("--tenant <name>", "tenant of the calls (default: the tenant of `paraph dev`)")
    .option(
      "--database <url>",
      "URL of the database, with the login of its owner (default: DATABASE_OWNER_URL)",
    );
}

const eraseExamples = `
Examples:
  paraph erase call_01m7f… --tenant acme --reason "request 4711"
  paraph erase --subject ana@example.com --tenant acme --reason "request 4711" --dry-run`;
