import { Command, InvalidArgumentError, Option } from "commander";
import { addAdministrationCommands } from "./commands/administration/administration-commands.ts";
import { addApprovalCommands } from "./commands/approvals/approval-commands.ts";
import { addPlanCommands } from "./commands/calls/plan-commands.ts";
import { addHookCommands } from "./commands/hook/hook-commands.ts";
import { addMcpCommands } from "./commands/mcp/mcp-commands.ts";
import { addObservabilityCommands } from "./commands/observability/observability-commands.ts";
import { addPolicyCommands } from "./commands/policy/policy-commands.ts";
import type { Context } from "./lib/context.ts";
import type { ExitCode } from "./lib/exit-code.ts";
import type { CliOutput } from "./lib/terminal/output.ts";

export interface GlobalOptions {
  readonly json?: boolean;
  readonly color: boolean;
  readonly url?: string;
}

export type RunCommand = (
  globals: GlobalOptions,
  command: (context: Context) => Promise<ExitCode>,
) => Promise<void>;

/**
 * Creates the commands and their options. Each loads its code only when it runs, so that `verify` never loads network
 * code.
 */
export function createProgram(version: string, output: CliOutput, run: RunCommand): Command {
  const program = new Command("paraph")
    .description("Let agents act, without taking their word for it.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .option("--json", "print data as JSON")
    .option("--no-color", "print without colours")
    .option("--url <url>", "address of the server (default: PARAPH_URL, or the `paraph dev` of this folder)")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: (text, write) =>
        write(text.replace(/^error: /, `${output.paintInfo(["bold", "red"], "paraph:")} `)),
    })
    .showHelpAfterError("Run the command with --help to see its usage.")
    .exitOverride()
    .addHelpText("after", helpFooter);

  program.commandsGroup("Run:");
  program.helpCommand("help [command]", "show help for a command");
  program
    .command("dev")
    .description("start Paraph with its own PostgreSQL and Restate, for this folder")
    .option("--folder <dir>", "folder of the configuration and the data", ".")
    .option("--port <number>", "port of the API (default: the port recorded for the folder)", parsePort)
    .option("--verbose", "log everything, not only warnings")
    .option("--adopt", "use a `.paraph` that you moved or restored here")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/dev/dev.ts")).runDev(context, options),
      ),
    );
  program
    .command("doctor")
    .description("check the installation and suggest fixes")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/doctor/doctor.ts")).runDoctor(context),
      ),
    );

  program.commandsGroup("Call:");
  program
    .command("call <capability> [input...]")
    .description("call a capability as the agent")
    .option("--input <file>", "read the input as JSON from a file, or from standard input with `-`")
    .option("--key <key>", "idempotency key of the call")
    .option(
      "--wait <time>",
      "wait for the outcome, including approval: seconds, or for example 5m (default: 10s, without approval)",
    )
    .option("--purpose <text>", "purpose of the call, shown to approvers as unchecked")
    .option("--session <id>", "id of the session that groups calls")
    .addHelpText("after", callExamples)
    .action(async (capability, input, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/calls/call.ts")).makeCall(context, capability, input, options),
      ),
    );
  addPlanCommands(program, run);
  program
    .command("calls")
    .description("list calls, newest first")
    .option("--open", "list only open calls")
    .option("--stuck", "list only stuck calls, which wait for `paraph retry`")
    .option("--unknown", "list only calls with an unknown outcome, which wait for `paraph resolve`")
    .option("--steps", "include the steps of plans, each below its plan")
    .option("--capability <name>", "list only calls of this capability")
    .addOption(createLimitOption())
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/calls/calls.ts")).showCalls(context, options),
      ),
    );
  program
    .command("show <call>")
    .description("show one call (its id, or `last`)")
    .action(async (call, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/calls/show.ts")).showCall(context, call),
      ),
    );
  program
    .command("capabilities [name]")
    .description("list capabilities, or show one contract")
    .action(async (name, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/calls/capabilities.ts")).showCapabilities(context, name),
      ),
    );
  program
    .command("adapters")
    .description("list adapters and their state")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/adapters/adapters.ts")).showAdapters(context),
      ),
    );
  program
    .command("adapter")
    .description("test your own adapter")
    .command("test <file>")
    .description("run the conformance test of an adapter")
    .option("--check", "also fail if a verification was skipped")
    .option("--crashes <number>", "how many times to kill each case while it runs", (text) =>
      parseWholeNumber(text, 0, 10_000),
    )
    .action(async (testFile, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/adapters/adapter-test.ts")).testAdapter(context, testFile, options),
      ),
    );

  program.commandsGroup("Decide:");
  program
    .command("approvals")
    .description("list open approvals")
    .addOption(createLimitOption())
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/approvals/approvals.ts")).showApprovals(context, options),
      ),
    );
  program
    .command("approval <id>")
    .description("show one approval in full (its id, its call's id, or `last` for the only open one)")
    .action(async (id, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/approvals/approval.ts")).showApproval(context, id),
      ),
    );
  for (const decision of ["approve", "deny"] as const) {
    program
      .command(`${decision} <id>`)
      .description(
        decision === "approve" ? "review a call, then approve it" : "deny a call, so that it has no effect",
      )
      .option("--reason <text>", "reason, recorded with the call")
      .option(
        "-y, --yes",
        decision === "approve"
          ? "approve without showing the approval or asking (needs its id and --fingerprint)"
          : "deny without showing the approval or asking",
      )
      .option("--fingerprint <text>", "decide only if the approval has this fingerprint")
      .option(
        "--wait <time>",
        "wait for the outcome: seconds, or for example 5m (default: 10s, or 1m for a plan)",
      )
      .option("--answer <value>", "answer to the question that the approval asks")
      .option("--without <steps>", "leave these steps out of a plan (a,b)")
      .action(async (id, options, command) =>
        run(readGlobals(command), async (context) =>
          (await import("./commands/approvals/decide.ts")).decideApproval(context, decision, id, options),
        ),
      );
  }

  addApprovalCommands(program, run);

  program.commandsGroup("Govern:");
  addPolicyCommands(program, run);
  addMcpCommands(program, run);
  addHookCommands(program, run);
  addAdministrationCommands(program, run);

  program.commandsGroup("Watch:");
  addObservabilityCommands(program, run);

  program.commandsGroup("Prove:");
  program
    .command("activity")
    .description("list requests, decisions, effects and undos, newest first")
    .option("--plan <call>", "list only this plan, its steps and their undos")
    .option("--call <call>", "list only this call")
    .option("--principal <id>", "list only the requests and actions of this principal")
    .option("--capability <name>", "list only this capability")
    .option("--kind <kind>", "list only this kind: ask, approve, deny, return, apply, undo, resolve …")
    .option("--outcome <outcome>", "list only this outcome: succeeded, failed, unknown …")
    .option("--since <time>", "start of the period: 24h, 30d or 2026-03-01")
    .option("--until <time>", "end of the period, in the same format")
    .addOption(createLimitOption())
    .addOption(
      new Option("--format <format>", "output format: a table, or everything as csv, jsonl or ocsf")
        .choices(["table", "csv", "jsonl", "ocsf"])
        .default("table"),
    )
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/audit/activity.ts")).showActivity(context, options),
      ),
    );
  program
    .command("receipt <call>")
    .description("download a call's signed receipt (its id, or `last`)")
    .option("-o, --output <file>", "write the receipt to a file")
    .action(async (call, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/audit/receipt.ts")).downloadReceipt(context, call, options),
      ),
    );
  program
    .command("replay [call]")
    .description("replay a call from its events alone, step by step (its id, or `last`)")
    .option(
      "--check",
      "rebuild the rows of this call, or of all calls, from events and compare them (for operators)",
    )
    .option(
      "--database <url>",
      "with --check: address of the database (default: DATABASE_URL, or that of `paraph dev`)",
    )
    .option("--tenant <name>", "with --check: tenant to check (default: that of `paraph dev`)")
    .action(async (call, { check, ...options }, command) =>
      run(readGlobals(command), async (context) =>
        check
          ? (await import("./commands/audit/replay-check.ts")).runReplayCheck(context, call, options)
          : (await import("./commands/audit/replay.ts")).showReplay(context, call),
      ),
    );
  program
    .command("verify <file>")
    .description("verify a receipt, offline")
    .option(
      "--key <file>",
      "trusted public keys as JSON (default: those of your own `paraph dev` for this folder)",
    )
    .action(async (file, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/audit/verify.ts")).verifyReceiptFile(context, file, options),
      ),
    );
  return program;
}

function readGlobals(command: Command): GlobalOptions {
  return command.optsWithGlobals() as GlobalOptions;
}

function createLimitOption(): Option {
  return new Option("--limit <number>", "maximum number of results")
    .default(20)
    .argParser((text) => parseWholeNumber(text, 1, 100));
}

function parsePort(text: string): number {
  return parseWholeNumber(text, 1, 65_535);
}

function parseWholeNumber(text: string, min: number, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new InvalidArgumentError(`Pass a whole number from ${min} to ${max}.`);
}

const callExamples = `
Input:
  key=text    a text
  key:=json   a JSON value: count:=3
  key@file    the text of a file
  '{…}'       the whole input as one JSON object

Examples:
  paraph call files.read path=notes.txt
  paraph call files.write path=notes.txt content@draft.txt --wait 5m`;

const helpFooter = `
Exit codes:
  0 ok, 1 failed, 2 wrong usage, 3 refused or denied, 4 not authenticated,
  8 pending, 9 unknown, 130 interrupted

Start here:
  paraph dev
  paraph call files.write path=hello.txt content=Hello`;
