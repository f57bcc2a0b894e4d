import { type Command, InvalidArgumentError } from "commander";
import type { GlobalOptions, RunCommand } from "../../program.ts";

/** Adds `paraph policy …`. */
export function addPolicyCommands(program: Command, run: RunCommand): void {
  const policy = program
    .command("policy")
    .description("test, lint, explain and backtest policies")
    .addHelpText("after", examples);

  policy.commandsGroup("Here, without a server:");
  policy
    .command("test [files...]")
    .description("put cases to the policies of this folder, and say which policies no case covers")
    .action(async (files, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-test.ts")).testPolicy(context, files),
      ),
    );
  policy
    .command("lint")
    .description("find what is wrong or in vain in the policies of this folder")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./policy-lint.ts")).lintPolicy(context)),
    );
  policy
    .command("eject")
    .description("print the Cedar that the preset and `rules` come to")
    .option("--write", "write what `rules` come to into policies/ejected.cedar, to take it over")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-eject.ts")).ejectPolicy(context, options),
      ),
    );

  policy.commandsGroup("Ask the server:");
  policy
    .command("show")
    .description("show the policies in force")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./policy-show.ts")).showPolicy(context)),
    );
  policy
    .command("explain <call>")
    .description("say why policy ruled as it did on a call (its id, or `last`)")
    .action(async (call, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-explain.ts")).explainPolicy(context, call),
      ),
    );
  policy
    .command("report")
    .description("say what policy let pass, checked, asked about and refused, or would have")
    .option("--since <time>", "calls made since then: e.g. 24h, 7d, or a date", "24h")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-report.ts")).showPolicyReport(context, options),
      ),
    );
  policy
    .command("backtest [candidate...]")
    .description("say which calls of the past would have gone another way")
    .option("--since <time>", "calls made since then: e.g. 24h, 30d, or a date", "30d")
    .option("--instead", "the candidate's files alone, without those in force")
    .option("--limit <number>", "how many calls to list at most", parseCallLimit, 20)
    .addHelpText("after", candidateHelp)
    .action(async (files, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-backtest.ts")).backtestPolicy(context, files, options),
      ),
    );
  policy
    .command("publish [candidate...]")
    .description("ask for a candidate to be put in force: a call, with its backtest as the preview")
    .option("--instead", "the candidate's files alone, without those in force")
    .option("--back-to <version>", "a set that was in force before, as it was")
    .option("--wait <time>", "wait for the outcome, also for a person's answer: seconds, or e.g. 5m")
    .addHelpText("after", candidateHelp)
    .action(async (files, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-publish.ts")).publishPolicy(context, files, options),
      ),
    );
}

function readGlobals(command: Command): GlobalOptions {
  return command.optsWithGlobals() as GlobalOptions;
}

function parseCallLimit(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 1_000) return Number(text);
  throw new InvalidArgumentError("It is a whole number from 0 to 1000.");
}

const candidateHelp = `
Candidate:
  FILES…       the set in force with these files on top; one of the same name replaces it
  (nothing)    the whole set as the configuration of this folder has it`;

const examples = `
Examples:
  paraph policy test
  paraph policy backtest --since 30d policies/no-deletes.cedar
  paraph policy explain last`;
