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
    .option("--url <url>", "the server to speak to (or PARAPH_URL)")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: (text, write) =>
        write(text.replace(/^error: /, `${output.paintInfo(["bold", "red"], "paraph:")} `)),
    })
    .showHelpAfterError("Run it with --help to see how it is used.")
    .exitOverride()
    .addHelpText("after", helpFooter);

  program.commandsGroup("Run:");
  program.helpCommand("help [command]", "show help for a command");
  program
    .command("dev")
    .description("start Paraph with its own PostgreSQL and Restate, for this folder")
    .option("--folder <dir>", "where the configuration and the data are", ".")
    .option("--port <number>", "the API's port, instead of the one it keeps", parsePort)
    .option("--verbose", "log everything, not only warnings")
    .option("--adopt", "use a `.paraph` that you moved or restored here")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/dev/dev.ts")).runDev(context, options),
      ),
    );
  program
    .command("doctor")
    .description("check everything, and say what to do where it is wrong")
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
    .option("--key <key>", "your own name for this call: asked twice, it happens once")
    .option("--wait <time>", "wait for the outcome, also for a person's answer: seconds, or e.g. 5m")
    .option("--purpose <text>", "what it is for; approvers see it as unchecked")
    .option("--session <id>", "your own id of what groups calls")
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
    .option("--open", "only those that are not over")
    .option("--stuck", "only those whose segments keep failing, until you `paraph retry` them")
    .option("--steps", "with the steps of plans, each below its plan")
    .option("--capability <name>", "only those of this capability")
    .addOption(createLimitOption())
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/calls/calls.ts")).showCalls(context, options),
      ),
    );
  program
    .command("show <call>")
    .description("tell the story of one call (its id, or `last`)")
    .action(async (call, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/calls/show.ts")).showCall(context, call),
      ),
    );
  program
    .command("capabilities [name]")
    .description("list what can be called, or show one contract")
    .action(async (name, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/calls/capabilities.ts")).showCapabilities(context, name),
      ),
    );
  program
    .command("adapters")
    .description("list where capabilities come from, and how those sources are")
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
    .option("--check", "also fail where something was not asked")
    .option("--crashes <number>", "how often each case is killed in the middle", (text) =>
      parseWholeNumber(text, 0, 10_000),
    )
    .action(async (trial, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/adapters/adapter-test.ts")).testAdapter(context, trial, options),
      ),
    );

  program.commandsGroup("Decide:");
  program
    .command("approvals")
    .description("list what waits for a person")
    .addOption(createLimitOption())
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/approvals/approvals.ts")).showApprovals(context, options),
      ),
    );
  program
    .command("approval <id>")
    .description("show everything about one approval (its id, the call's, or `last` for the only one)")
    .action(async (id, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/approvals/approval.ts")).showApproval(context, id),
      ),
    );
  for (const decision of ["approve", "deny"] as const) {
    program
      .command(`${decision} <id>`)
      .description(decision === "approve" ? "look at it, then say yes" : "say no: it has no effect")
      .option("--reason <text>", "why, kept with the call")
      .option(
        "-y, --yes",
        decision === "approve"
          ? "do not show it and do not ask; needs its id and --fingerprint"
          : "do not show it and do not ask",
      )
      .option("--fingerprint <text>", "decide only if it is still what has this fingerprint")
      .option("--wait <time>", "how long to wait for the outcome: 10 s, or 1 min for a plan, unless given")
      .option("--answer <value>", "what you answer, where it asks for more than a yes")
      .option("--without <steps>", "of a plan: yes to all but these steps (a,b)")
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
    .description("list who asked, approved, applied and undid what, newest first")
    .option("--plan <call>", "only a plan with its steps, and what undoes any of them")
    .option("--call <call>", "only this call")
    .option("--principal <id>", "only what they asked for or did")
    .option("--capability <name>", "only of this capability")
    .option("--kind <kind>", "ask, approve, deny, return, apply, undo, resolve …")
    .option("--outcome <outcome>", "only what ended so: succeeded, failed, unknown …")
    .option("--since <time>", "24h, 30d or 2026-03-01")
    .option("--until <time>", "the same")
    .addOption(createLimitOption())
    .addOption(
      new Option("--format <format>", "a table, or all of it as csv, jsonl or ocsf")
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
    .description("get the signed story of a call (its id, or `last`)")
    .option("-o, --output <file>", "write it to a file")
    .action(async (call, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/audit/receipt.ts")).downloadReceipt(context, call, options),
      ),
    );
  program
    .command("replay [call]")
    .description("tell a call from its events alone, step by step (its id, or `last`)")
    .option(
      "--check",
      "rebuild the rows of this call, or of all, from events alone and compare: for operators",
    )
    .option("--database <url>", "with --check: the database (or DATABASE_URL), unless `paraph dev` runs here")
    .option("--tenant <name>", "with --check: whose calls")
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
  return new Option("--limit <number>", "how many at most")
    .default(20)
    .argParser((text) => parseWholeNumber(text, 1, 100));
}

function parsePort(text: string): number {
  return parseWholeNumber(text, 1, 65_535);
}

function parseWholeNumber(text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
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
