import { type Command, Option } from "commander";
import { createLimitOption, type RunCommand, readGlobals } from "../../lib/command-options.ts";

/** Adds the commands that show and verify the audit trail. */
export function addAuditCommands(program: Command, run: RunCommand): void {
  program
    .command("activity")
    .description("list requests, decisions, effects and undos, newest first")
    .option("--plan <call>", "list only entries of this plan, its steps and their undos")
    .option("--call <call>", "list only entries of this call")
    .option("--principal <id>", "list only the requests and actions of this principal")
    .option("--capability <name>", "list only entries of this capability")
    .option(
      "--kind <kind>",
      "list only entries of this kind: ask, approve, deny, return, apply, undo, resolve …",
    )
    .option("--outcome <outcome>", "list only entries with this outcome: succeeded, failed, unknown …")
    .option("--since <time>", "start of the period, as an age (24h, 30d) or a date (2026-03-01)")
    .option("--until <time>", "end of the period, in the same format as --since")
    .addOption(createLimitOption())
    .addOption(
      new Option("--format <format>", "output format: a table, or everything as csv, jsonl or ocsf")
        .choices(["table", "csv", "jsonl", "ocsf"])
        .default("table"),
    )
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./activity.ts")).showActivity(context, options),
      ),
    );
  program
    .command("receipt <call>")
    .description("download the signed receipt of a call (id of the call, or `last`)")
    .option("-o, --output <file>", "write the receipt to a file")
    .action(async (call, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./receipt.ts")).downloadReceipt(context, call, options),
      ),
    );
  program
    .command("replay [call]")
    .description("replay a call from its events alone, step by step (by its id, or `last`)")
    .option(
      "--check",
      "recompute the rows of this call (or of all calls) from its events and compare them with the stored rows",
    )
    .option(
      "--database <url>",
      "with --check: address of the database (default: DATABASE_URL, or the database of `paraph dev`)",
    )
    .option("--tenant <name>", "with --check: tenant to check (default: the tenant of `paraph dev`)")
    .option("--key <file>", "with --check: trusted public keys as JSON, to verify the manifests of archives")
    .option("--archive <folder>", "with --check: also verify the archive files in this folder")
    .action(async (call, { check, ...options }, command) =>
      run(readGlobals(command), async (context) =>
        check
          ? (await import("./replay-check.ts")).runReplayCheck(context, call, options)
          : (await import("./replay.ts")).showReplay(context, call),
      ),
    );
  program
    .command("verify <file>")
    .description("verify a receipt or an archive of `paraph retain`, offline")
    .option(
      "--key <file>",
      "trusted public keys as JSON (default: those of your own `paraph dev` for this folder)",
    )
    .action(async (file, options, command) =>
      run(readGlobals(command), async (context) =>
        isArchiveName(file)
          ? (await import("./verify-archive.ts")).verifyArchiveFile(context, file, options)
          : (await import("./verify.ts")).verifyReceiptFile(context, file, options),
      ),
    );
}

function isArchiveName(file: string): boolean {
  return file.endsWith(".jsonl.gz") || file.endsWith(".manifest.json");
}
