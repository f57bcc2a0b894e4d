import { Command, Option } from "commander";
import { addAdapterCommands } from "./commands/adapters/adapter-commands.ts";
import { addAdministrationCommands } from "./commands/administration/administration-commands.ts";
import { addApprovalCommands } from "./commands/approvals/approval-commands.ts";
import { addAuditCommands } from "./commands/audit/audit-commands.ts";
import { addCallCommands } from "./commands/calls/call-commands.ts";
import { addCompletionCommand } from "./commands/completion/completion-command.ts";
import { addDoctorCommand } from "./commands/doctor/doctor-command.ts";
import { addHookCommands } from "./commands/hook/hook-commands.ts";
import { addInitCommand } from "./commands/init/init-command.ts";
import { addLoginCommands } from "./commands/login/login-commands.ts";
import { addMcpCommands } from "./commands/mcp/mcp-commands.ts";
import { addObservabilityCommands } from "./commands/observability/observability-commands.ts";
import { addOpenCommand } from "./commands/open/open-command.ts";
import { addPolicyCommands } from "./commands/policy/policy-commands.ts";
import { addRetentionCommands } from "./commands/retention/retention-commands.ts";
import { addSigningKeyCommands } from "./commands/signing-key/signing-key-commands.ts";
import { addStartCommands } from "./commands/start/start-commands.ts";
import { parsePort, type RunCommand, readGlobals } from "./lib/command-options.ts";
import type { CliOutput } from "./lib/terminal/output.ts";

/**
 * Creates the commands and their options. Each command loads its code only when it runs, so that `verify` never loads
 * network code.
 */
export function createProgram(version: string, output: CliOutput, run: RunCommand): Command {
  const program = new Command("paraph")
    .description("Let agents act, without taking their word for it.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .option("--json", "print data as JSON")
    .option("--no-color", "print without colours")
    .option(
      "--url <url>",
      "address of the server (default: PARAPH_URL, the server that `paraph dev` runs for this folder, or the one of `paraph login`)",
    )
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: (text, write) =>
        write(text.replace(/^error: /, `${output.paintInfo(["bold", "red"], "paraph:")} `)),
    })
    .showHelpAfterError(usageHint)
    .exitOverride()
    .addHelpText("after", helpFooter);

  program.commandsGroup("Run:");
  program.helpCommand("help [command]", "show help for a command");
  addInitCommand(program, run);
  program
    .command("dev")
    .description(
      "start Paraph with its own PostgreSQL for this folder, and offer to load its configuration again when it changes",
    )
    .option("--folder <dir>", "folder that holds the configuration and the data", ".")
    .option(
      "--host <address>",
      "address to listen on, such as that of this computer in your network, for a phone (default: 127.0.0.1)",
    )
    .option("--port <number>", "port of the API (default: the port recorded for the folder)", parsePort)
    .option("--watch", "load a changed configuration at once, without pressing Enter")
    .option("--verbose", "log everything, not only warnings")
    .option("--adopt", "use a `.paraph` folder that you moved or restored here")
    .addOption(
      new Option(
        "--engine <name>",
        "what brings due calls to workers (default: Restate if RESTATE_… is set, or else PostgreSQL)",
      ).choices(["postgres", "restate"]),
    )
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/dev/dev.ts")).runDev(context, options),
      ),
    );
  program
    .command("demo")
    .description("show an agent's call from request to receipt, in a temporary folder")
    .option("-y, --yes", "approve without asking")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./commands/demo/demo.ts")).runDemo(context, options),
      ),
    );
  addStartCommands(program, run);
  addSigningKeyCommands(program, run);
  addLoginCommands(program, run);
  addDoctorCommand(program, run);
  addCompletionCommand(program, run);

  program.commandsGroup("Call:");
  addCallCommands(program, run);
  addAdapterCommands(program, run);

  program.commandsGroup("Decide:");
  addApprovalCommands(program, run);
  addOpenCommand(program, run);

  program.commandsGroup("Govern:");
  addPolicyCommands(program, run);
  addMcpCommands(program, run);
  addHookCommands(program, run);
  addAdministrationCommands(program, run);

  program.commandsGroup("Watch:");
  addObservabilityCommands(program, run);

  program.commandsGroup("Prove:");
  addAuditCommands(program, run);

  program.commandsGroup("Retain:");
  addRetentionCommands(program, run);
  nameChoicesAfterErrors(program);
  return program;
}

const usageHint = "Run the command with --help to see its usage.";

/** Names the choices of the arguments after an error, because Commander does not name them if an argument is missing. */
function nameChoicesAfterErrors(command: Command): void {
  const choices = command.registeredArguments.flatMap((argument) =>
    argument.argChoices ? [`Choices for <${argument.name()}>: ${argument.argChoices.join(", ")}. `] : [],
  );
  if (choices.length > 0) command.showHelpAfterError(choices.join("") + usageHint);
  for (const subcommand of command.commands) nameChoicesAfterErrors(subcommand);
}

const helpFooter = `
Exit codes:
  0 ok, 1 failed, 2 wrong usage, 3 refused or denied, 4 not authenticated,
  8 pending, 9 unknown, 130 interrupted

Start here:
  paraph demo
  paraph dev
  paraph call files.write path=hello.txt content=Hello`;
