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
  addDatabaseOptions(program.command("retain"))
    .description("archive old closed calls in files, and delete them from the database")
    .requiredOption(
      "--before <time>",
      "archive calls that closed before this date (2026-03-01) or age (90d), at least 30 days ago",
    )
    .requiredOption("--to <folder>", "folder for the archive files")
    .option("--without-payloads", "archive only events, receipts and other rows, and delete the payloads")
    .option(
      "--signing-key <file>",
      "key that signs the archives (default: PARAPH_SIGNING_KEY, or signing.pem in systemd's STATE_DIRECTORY)",
    )
    .option("--dry-run", "count the calls, and change nothing")
    .option("-y, --yes", "archive and delete without asking")
    .addHelpText("after", retainExamples)
    .action(async (options, command) =>
      run(readGlobals(command), async (context) => (await import("./retain.ts")).retain(context, options)),
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

const retainExamples = `
Examples:
  paraph retain --before 180d --to /backup/paraph --tenant acme --dry-run
  paraph verify /backup/paraph/acme-2026-03-001.jsonl.gz --key keys.json`;

const eraseExamples = `
Examples:
  paraph erase call_01m7f… --tenant acme --reason "request 4711"
  paraph erase --subject ana@example.com --tenant acme --reason "request 4711" --dry-run`;
