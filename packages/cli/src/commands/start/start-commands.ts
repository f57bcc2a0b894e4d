import { type Command, Option } from "commander";
import { parsePort, parseWholeNumber, type RunCommand, readGlobals } from "../../lib/command-options.ts";

/** Adds the commands that run Paraph for a team, on its own PostgreSQL. */
export function addStartCommands(program: Command, run: RunCommand): void {
  program
    .command("start")
    .description("start Paraph on your own PostgreSQL, for a team")
    .option("--folder <dir>", "folder that holds the configuration", ".")
    .addOption(
      new Option("--role <name>", "what this process does: answer callers, perform calls, or both")
        .choices(["api", "worker", "all"])
        .default("all"),
    )
    .option("--host <address>", "address to listen on (default: `http.host`, or 127.0.0.1)")
    .option("--port <number>", "port of the API (default: `http.port`, or 7411)", parsePort)
    .option(
      "--signing-key <file>",
      "key that signs receipts (default: PARAPH_SIGNING_KEY, or signing.pem in systemd's STATE_DIRECTORY)",
    )
    .option("--create-signing-key", "create the signing key if its file does not exist")
    .option(
      "--drain <seconds>",
      "time that running attempts have to end when the process stops (default: 630)",
      (text) => parseWholeNumber(text, 1),
    )
    .option("--verbose", "log everything, not only what an operator needs")
    .option("--allow-root", "run as root, for example in a container that isolates the process")
    .addHelpText("after", startExamples)
    .action(async (options, command) =>
      run(readGlobals(command), async (context) => (await import("./start.ts")).runStart(context, options)),
    );
  addDatabaseOption(program.command("migrate"))
    .description("prepare or upgrade the database of `paraph start`")
    .option("--dry-run", "list the steps, and change nothing")
    .option("--wait <seconds>", "maximum time to wait for locks", (text) => parseWholeNumber(text, 0), 60)
    .action(async (options, command) =>
      run(readGlobals(command), async (context) => (await import("./migrate.ts")).migrate(context, options)),
    );
  const tenants = program.command("tenants").description("add a tenant to the database of `paraph start`");
  addDatabaseOption(tenants.command("add <name>"))
    .description("add a tenant and its first administrator")
    .requiredOption("--admin <person>", "id of the first administrator")
    .addHelpText("after", tenantExamples)
    .action(async (name, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./tenants.ts")).addTenant(context, name, options),
      ),
    );
  addRestoredCommands(program, run);
}

function addRestoredCommands(program: Command, run: RunCommand): void {
  const restored = program
    .command("restored")
    .description("make a database safe that you restored from a backup");
  addDatabaseOption(restored.command("record"))
    .description("record the restore and freeze every tenant, before any Paraph process starts")
    .requiredOption("--to <time>", "point in time to which the database was restored")
    .requiredOption("--reason <text>", "reason, recorded with the restore")
    .option("--dry-run", "check everything, and change nothing")
    .addHelpText("after", restoredExamples)
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("../restored/record-restore.ts")).runRecordRestore(context, options),
      ),
    );
  addDatabaseOption(restored.command("evidence <files...>"))
    .description("list effects in exported activity, receipts and webhook bodies that the database lacks")
    .option("--key <file>", "public keys that may sign receipts (default: those of `paraph dev` here)")
    .action(async (files, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("../restored/evidence.ts")).listMissingEffects(context, files, options),
      ),
    );
}

function addDatabaseOption(command: Command): Command {
  return command.option(
    "--database <url>",
    "URL of the database, with the login of its owner (default: DATABASE_OWNER_URL)",
  );
}

const startExamples = `
Examples:
  paraph migrate                                # once, and before each new version
  paraph tenants add acme --admin ana           # once for each tenant
  paraph start --create-signing-key             # the first start
  paraph start --role worker                    # a further process that only performs calls`;

const restoredExamples = `
Examples:
  paraph restored record --to 2026-03-01T09:30:00Z --reason "disk lost"
  paraph restored evidence activity.jsonl receipts/ --key keys.json`;

const tenantExamples = `
Examples:
  paraph tenants add acme --admin ana
  paraph tenants add acme --admin ana --url https://paraph.example.com   # prints a complete login link`;
