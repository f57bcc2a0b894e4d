import { Argument, type Command, Option } from "commander";
import type { GlobalOptions, RunCommand } from "../../program.ts";

/** Adds the commands for approvals other than approve and deny. */
export function addApprovalCommands(program: Command, run: RunCommand): void {
  program
    .command("edit <approval>")
    .description("change the input that is asked for, in your editor or with --input")
    .option("--input <json>", "the whole input: a file, `-` for standard input, or the JSON itself")
    .option("--step <id>", "of a plan: only this step's input")
    .option("--reason <text>", "why; who asked is told")
    .action(async (id, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./edit.ts")).editApproval(context, id, options),
      ),
    );
  program
    .command("return <approval>")
    .description("say no, with instructions for another try")
    .requiredOption("--instructions <text>", "what to do instead")
    .option("-y, --yes", "do not show it and do not ask")
    .action(async (id, { instructions, ...options }, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./decide.ts")).decideApproval(context, "return", id, {
          ...options,
          reason: instructions,
          wait: "0",
        }),
      ),
    );
  program
    .command("withdraw <call>")
    .description("take a call back before it acts")
    .option("--reason <text>", "why, kept with the call")
    .action(async (call, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("../calls/call-actions.ts")).requestWithdrawal(context, call, options),
      ),
    );
  program
    .command("thread <call>")
    .description("what was said about a call, and say something")
    .option("--say <text>", "comment on it")
    .option("--ask <text>", "ask the agent something")
    .option("--answer <text>", "answer, as the agent")
    .action(async (call, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./comments.ts")).showComments(context, call, options),
      ),
    );
  program
    .command("stand-in <person>")
    .description("name who answers for you while you are away")
    .requiredOption("--until <time>", "when you are back")
    .option("--from <time>", "when you leave; now unless given")
    .action(async (person, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./delegate.ts")).createDelegation(context, person, options),
      ),
    );
  addOutcomeCommands(program, run);
}

/** Adds the commands for calls with an unknown outcome. */
function addOutcomeCommands(program: Command, run: RunCommand): void {
  program
    .command("unknowns")
    .description("list calls of which nobody knows whether they happened")
    .addOption(new Option("--limit <number>", "how many at most").default(20).argParser(Number))
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("../calls/call-actions.ts")).showUnknownCalls(context, options),
      ),
    );
  program
    .command("resolve <call>")
    .description("say what became of such a call, signed with your name")
    .addArgument(new Argument("<finding>", "what you found").choices(["happened", "not-happened"]))
    .requiredOption("--reason <text>", "how you found out")
    .action(async (call, finding, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("../calls/call-actions.ts")).resolveCall(context, call, finding, options),
      ),
    );
  for (const verb of ["probe", "retry"] as const) {
    program
      .command(`${verb} <call>`)
      .description(
        verb === "probe"
          ? "ask the outside system once more what became of it"
          : "let a stuck call go on, or ask again for one that did not happen",
      )
      .action(async (call, _, command) =>
        run(readGlobals(command), async (context) =>
          (await import("../calls/call-actions.ts"))[verb](context, call),
        ),
      );
  }
}

function readGlobals(command: Command): GlobalOptions {
  return command.optsWithGlobals() as GlobalOptions;
}
