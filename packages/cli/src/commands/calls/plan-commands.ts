import { type Command, Option } from "commander";
import type { GlobalOptions, RunCommand } from "../../program.ts";

/** Adds the commands for plans and for undo. */
export function addPlanCommands(program: Command, run: RunCommand): void {
  program
    .command("plan <file>")
    .description("ask for several steps as one: a plan in YAML or JSON, or `-` for standard input")
    .option("--preview", "only show what it would do and who would be asked: changes nothing")
    .addOption(
      new Option("--on-failure <how>", "in place of what the plan says").choices([
        ...["stop", "continue", "compensate"],
      ]),
    )
    .option("--key <key>", "your own name for it: asked twice, it happens once")
    .option("--wait <time>", "wait for its end, also for a person's answer: seconds, or e.g. 5m")
    .option("--purpose <text>", "what it is for; approvers see it as unchecked")
    .option("--session <id>", "your own id of what groups calls")
    .addHelpText("after", planExample)
    .action(async (file, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./plan.ts")).applyPlanFile(context, file, options),
      ),
    );
  program
    .command("undo <call>")
    .description("take back what a call or a plan did (its id, or `last`)")
    .option("--preview", "only show what that would do: changes nothing")
    .addOption(new Option("--as <who>", "who asks for it").choices(["agent", "person"]).default("agent"))
    .option("--purpose <text>", "what it is for; approvers see it as unchecked")
    .option("--wait <time>", "wait for its end, also for a person's answer: seconds, or e.g. 5m")
    .action(async (call, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./undo.ts")).requestUndo(context, call, options),
      ),
    );
}

function readGlobals(command: Command): GlobalOptions {
  return command.optsWithGlobals() as GlobalOptions;
}

const planExample = `
A plan:
  version: 1
  onFailure: compensate        # or stop, or continue
  steps:
    - { id: draft, capability: files.write, input: { path: a.txt, content: Hello } }
    - { id: final, capability: files.move, input: { from: a.txt, to: b.txt } }`;
