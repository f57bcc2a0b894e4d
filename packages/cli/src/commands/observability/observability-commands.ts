import { type Command, InvalidArgumentError, Option } from "commander";
import type { GlobalOptions, RunCommand } from "../../program.ts";

/** Adds the commands for observations and statistics. */
export function addObservabilityCommands(program: Command, run: RunCommand): void {
  program
    .command("observations")
    .description("list the latest observations of adapters")
    .option("--adapter <name>", "list only observations of this adapter")
    .option("--kind <kind>", "list only observations of this kind: file.changed …")
    .option("--subject <text>", "list only observations of this subject")
    .option("--since <time>", "start of the period: 24h, 30d or 2026-03-01")
    .option("--after <number>", "list only observations after this number", (text) =>
      parseWholeNumber(text, 0),
    )
    .option("--follow", "follow new observations as they arrive")
    .option("--polls", "show when each adapter was polled, the next poll, and failures")
    .addOption(createLimitOption())
    .action(async (options, command) =>
      run(command.optsWithGlobals() as GlobalOptions, async (context) =>
        (await import("./observations.ts")).showObservations(context, options),
      ),
    );
  program
    .command("stats")
    .description("show success rates, durations, costs and the last errors of calls")
    .option("--capability <name>", "count only calls of this capability")
    .option("--principal <id>", "count only calls of this principal")
    .option("--since <time>", "start of the period: 24h or 2026-03-01, at most 30d ago", "7d")
    .addOption(
      new Option("--by <what>", "group the calls by")
        .choices(["capability", "principal", "both"])
        .default("capability"),
    )
    .addOption(createLimitOption())
    .action(async (options, command) =>
      run(command.optsWithGlobals() as GlobalOptions, async (context) =>
        (await import("./stats.ts")).showStats(context, options),
      ),
    );
}

function createLimitOption(): Option {
  return new Option("--limit <number>", "maximum number of results")
    .default(20)
    .argParser((text) => parseWholeNumber(text, 1, 100));
}

function parseWholeNumber(text: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new InvalidArgumentError(`Pass a whole number, at least ${min}.`);
}
