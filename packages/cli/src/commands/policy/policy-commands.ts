import { type Command, InvalidArgumentError } from "commander";
import { type RunCommand, readGlobals } from "../../lib/command-options.ts";

/** Adds `paraph policy …`. */
export function addPolicyCommands(program: Command, run: RunCommand): void {
  const policy = program
    .command("policy")
    .description("test, lint, explain and backtest policies")
    .addHelpText("after", examples);

  policy.commandsGroup("Without a server:");
  policy
    .command("test [files...]")
    .description("run the policy cases of this folder, and list the policies that no case covers")
    .action(async (files, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-test.ts")).testPolicy(context, files),
      ),
    );
  policy
    .command("lint")
    .description("find errors and ineffective policies in this folder")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./policy-lint.ts")).lintPolicy(context)),
    );
  policy
    .command("eject")
    .description("print the Cedar policies that the preset and `rules` generate")
    .option("--write", "write the policies of `rules` to policies/ejected.cedar, to maintain them yourself")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-eject.ts")).ejectPolicy(context, options),
      ),
    );

  policy.commandsGroup("With a server:");
  policy
    .command("show")
    .description("show the policies in force")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./policy-show.ts")).showPolicy(context)),
    );
  policy
    .command("explain <call>")
    .description("explain the rulings on a call (by its id, or `last`)")
    .action(async (call, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-explain.ts")).explainPolicy(context, call),
      ),
    );
  policy
    .command("report")
    .description("count calls by ruling, including the rulings that observe mode only recorded")
    .option("--since <time>", "start of the period, as an age (24h, 7d) or a date (2026-03-01)", "24h")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-report.ts")).showPolicyReport(context, options),
      ),
    );
  policy
    .command("backtest [candidate...]")
    .description("list past calls on which a candidate policy set would rule differently")
    .option("--since <time>", "start of the period, as an age (24h, 30d) or a date (2026-03-01)", "30d")
    .option("--replace", "use only the candidate's files, without those in force")
    .option("--limit <number>", "maximum number of calls to list", parseCallLimit, 20)
    .addHelpText("after", candidateHelp)
    .action(async (files, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-backtest.ts")).backtestPolicy(context, files, options),
      ),
    );
  policy
    .command("publish [candidate...]")
    .description("request to put a candidate policy set in force; approvers see its backtest")
    .option("--replace", "use only the candidate's files, without those in force")
    .option("--back-to <version>", "publish an earlier policy set again, unchanged")
    .option(
      "--wait <time>",
      "how long to wait for the outcome, such as 30s or 5m (default: 10s, or 0 if the call needs approval)",
    )
    .addHelpText("after", candidateHelp)
    .action(async (files, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./policy-publish.ts")).publishPolicy(context, files, options),
      ),
    );
}

function parseCallLimit(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 1_000) return Number(text);
  throw new InvalidArgumentError("Pass a whole number from 0 to 1000.");
}

const candidateHelp = `
Candidate:
  FILES…       the policy set in force with these files added; a file of the same name is replaced
  (nothing)    the whole policy set of this folder's configuration`;

const examples = `
Examples:
  paraph policy test
  paraph policy backtest --since 30d policies/no-deletes.cedar
  paraph policy explain last`;
