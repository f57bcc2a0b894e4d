import type { Command } from "commander";
import {
  createLimitOption,
  parseWholeNumber,
  type RunCommand,
  readGlobals,
} from "../../lib/command-options.ts";
import { addPlanCommands } from "./plan-commands.ts";

/** Adds the commands that call capabilities and show calls. */
export function addCallCommands(program: Command, run: RunCommand): void {
  program
    .command("call <capability> [input...]")
    .description("call a capability with the agent's API key")
    .option("--input <file>", "read the input as JSON from a file, or from standard input with `-`")
    .option("--key <key>", "idempotency key of the call")
    .option(
      "--wait <time>",
      "how long to wait for the outcome, such as 30s or 5m (default: 10s, or 0 if the call needs approval)",
    )
    .option("--purpose <text>", "purpose of the call, shown to approvers as the agent's own words")
    .option("--session <id>", "id of the session that groups calls")
    .option("--thread <id>", "id of the thread within the session")
    .option("--state <text>", "the agent's own summary of its state, which `paraph session` gives back")
    .addHelpText("after", callExamples)
    .action(async (capability, input, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./call.ts")).makeCall(context, capability, input, options),
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
    .option("--session <id>", "list only calls of this session")
    .option("--thread <id>", "list only calls of this thread")
    .option("--correlation <id>", "list only calls with this correlation id, which is their trace id")
    .addOption(createLimitOption())
    .action(async (options, command) =>
      run(readGlobals(command), async (context) => (await import("./calls.ts")).showCalls(context, options)),
    );
  program
    .command("show <call>")
    .description("show one call (by its id, or `last`)")
    .action(async (call, _, command) =>
      run(readGlobals(command), async (context) => (await import("./show.ts")).showCall(context, call)),
    );
  program
    .command("session <id>")
    .description("show the state of a session: open questions, calls, plans, outcomes and observations")
    .option("--tokens <n>", "maximum size in tokens, older calls become counts (default: 2000)", (text) =>
      parseWholeNumber(text, 1),
    )
    .action(async (id, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./session.ts")).showSession(context, id, options),
      ),
    );
  program
    .command("capabilities [name]")
    .description(
      "list capabilities (all, or those that match a pattern such as 'files.*'), or show one contract",
    )
    .action(async (name, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./capabilities.ts")).showCapabilities(context, name),
      ),
    );
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
