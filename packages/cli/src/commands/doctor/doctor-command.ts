import type { Command } from "commander";
import { usageError } from "../../lib/cli-error.ts";
import { type RunCommand, readGlobals } from "../../lib/command-options.ts";

export function addDoctorCommand(program: Command, run: RunCommand): void {
  program
    .command("doctor")
    .description("check the installation and suggest fixes")
    .option("--production", "check a server of `paraph start` from its host, with DATABASE_URL")
    .option(
      "--folder <dir>",
      "with --production, folder that holds the configuration (default: the current folder)",
    )
    .option(
      "--signing-key <file>",
      "with --production, key that signs receipts (default: as for `paraph start`)",
    )
    .option(
      "--database <url>",
      "with --production, URL of the database with a login of pg_monitor, which sees more (default: DATABASE_URL)",
    )
    .addHelpText("after", examples)
    .action(async ({ production, ...options }, command) =>
      run(readGlobals(command), async (context) => {
        if (production)
          return (await import("./production/production.ts")).runProductionDoctor(context, options);
        if (Object.keys(options).length > 0)
          throw usageError("The options of `paraph doctor` need `--production`.");
        return (await import("./doctor.ts")).runDoctor(context);
      }),
    );
}

const examples = `
Examples:
  paraph doctor                     # the folder, the server and the hooks of coding agents
  paraph doctor --production        # a host that runs \`paraph start\`, and its PostgreSQL`;
