import type { Command } from "commander";
import { type RunCommand, readGlobals } from "../../lib/command-options.ts";

/** Adds the commands that replace or revoke the key which signs receipts. They change only files. */
export function addSigningKeyCommands(program: Command, run: RunCommand): void {
  const keys = program
    .command("signing-key")
    .description("list, replace or revoke the key that signs receipts")
    .addHelpText("after", examples);
  addKeyOption(keys.command("list"))
    .description("list the current key, the next one and the earlier ones")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./signing-key.ts")).listSigningKeys(context, options),
      ),
    );
  addKeyOption(keys.command("prepare"))
    .description("create the next key, to copy to all hosts before a rotation")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./signing-key.ts")).prepareKey(context, options),
      ),
    );
  addKeyOption(keys.command("rotate"))
    .description("make the next key the current one, and keep the current one as an earlier key")
    .option("--single-host", "prepare the key in the same step, for a deployment with one process")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./signing-key.ts")).rotateKey(context, options),
      ),
    );
  addKeyOption(keys.command("retire <kid>"))
    .description("delete the private part of an earlier key; its receipts stay valid")
    .option("-y, --yes", "do not ask")
    .action(async (kid, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./signing-key.ts")).retireKey(context, kid, options),
      ),
    );
  addKeyOption(keys.command("revoke <kid>"))
    .description("record that a key leaked, so that receipts from then on are rejected")
    .requiredOption(
      "--since <time>",
      "time from which another party may have had the key, as an age (24h, 30d) or a date (2026-03-01)",
    )
    .option("-y, --yes", "do not ask")
    .action(async (kid, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./signing-key.ts")).revokeKey(context, kid, options),
      ),
    );
}

function addKeyOption(command: Command): Command {
  return command.option(
    "--signing-key <file>",
    "file of the current key (default: PARAPH_SIGNING_KEY, or signing.pem in systemd's STATE_DIRECTORY)",
  );
}

const examples = `
Examples:
  paraph signing-key prepare                    # then copy \`next/\` to all hosts, and restart them
  paraph signing-key rotate                     # then restart this host; repeat it on each host
  paraph signing-key list
  paraph signing-key revoke KID --since 24h     # after the rotation, if the earlier key leaked`;
