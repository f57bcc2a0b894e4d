import { type Command, Option } from "commander";
import { type RunCommand, readGlobals } from "../../lib/command-options.ts";

/** Adds the commands for plans and for undo. */
export function addPlanCommands(program: Command, run: RunCommand): void {
  program
    .command("plan <file>")
    .description("request a plan from a YAML or JSON file, or from standard input with `-`")
    .option("--preview", "show the changes and the required approvals, without requesting the plan")
    .addOption(
      new Option("--on-failure <how>", "action after a failed step (default: that of the plan)").choices([
        ...["stop", "continue", "compensate"],
      ]),
    )
    .option("--key <key>", "idempotency key of the plan")
    .option(
      "--wait <time>",
      "how long to wait for the outcome, such as 30s or 5m (default: 1m, or 0 if the plan needs approval)",
    )
    .option("--purpose <text>", "purpose of the call, shown to approvers as the agent's own words")
    .option("--session <id>", "id of the session that groups calls")
    .addHelpText("after", planExample)
    .action(async (file, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./plan.ts")).applyPlanFile(context, file, options),
      ),
    );
  program
    .command("ask <words...>")
    .description("turn a request in words into a plan, show it, and request it after you confirm")
    .addOption(
      new Option("--as <who>", "requester of the plan").choices(["agent", "person"]).default("agent"),
    )
    .option("-y, --yes", "request the plan without showing it or asking (needs --fingerprint)")
    .option("--fingerprint <text>", "request the plan only if it has this fingerprint")
    .option("--key <key>", "idempotency key of the plan")
    .option(
      "--wait <time>",
      "how long to wait for the outcome, such as 30s or 5m (default: 1m, or 0 if the plan needs approval)",
    )
    .option("--session <id>", "id of the session that groups calls")
    .addHelpText("after", askExample)
    .action(async (words, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./ask.ts")).askInWords(context, words, options),
      ),
    );
  program
    .command("undo <call>")
    .description("undo a call or a plan (by its id, or `last`)")
    .option("--preview", "show what the undo would change, without requesting it")
    .addOption(
      new Option("--as <who>", "requester of the undo").choices(["agent", "person"]).default("agent"),
    )
    .option("--purpose <text>", "purpose of the call, shown to approvers as the agent's own words")
    .option(
      "--wait <time>",
      "how long to wait for the outcome, such as 30s or 5m (default: 1m, or 0 if the plan needs approval)",
    )
    .action(async (call, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./undo.ts")).requestUndo(context, call, options),
      ),
    );
}

const planExample = `
A plan:
  version: 1
  onFailure: compensate        # or stop, or continue
  steps:
    - { id: draft, capability: files.write, input: { path: a.txt, content: Hello } }
    - { id: final, capability: files.move, input: { from: a.txt, to: b.txt } }`;

const askExample = `
Examples:
  paraph ask 'Write "Hello" to notes/today.md'
  paraph ask 'Refund €12.50 for payment pay_8Zk2 and then read notes/today.md'`;
