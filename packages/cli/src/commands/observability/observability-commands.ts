import { type Command, Option } from "commander";
import {
  createLimitOption,
  parseWholeNumber,
  type RunCommand,
  readGlobals,
} from "../../lib/command-options.ts";

/** Adds the commands for observations, statistics and the current load. */
export function addObservabilityCommands(program: Command, run: RunCommand): void {
  program
    .command("observations")
    .description("list the latest observations from adapters")
    .option("--adapter <name>", "list only observations from this adapter")
    .option("--kind <kind>", "list only observations of this kind: file.changed …")
    .option("--subject <text>", "list only observations of this subject")
    .option("--since <time>", "start of the period, as an age (24h, 30d) or a date (2026-03-01)")
    .option("--after <number>", "list only observations after this number", (text) =>
      parseWholeNumber(text, 0),
    )
    .option("--follow", "follow new observations as they arrive")
    .option("--polls", "show when each adapter was polled, the next poll, and failures")
    .addOption(createLimitOption())
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./observations.ts")).showObservations(context, options),
      ),
    );
  program
    .command("stats")
    .description("show success rates, durations, costs and the latest errors of calls")
    .option("--capability <name>", "count only calls of this capability")
    .option("--principal <id>", "count only calls of this principal")
    .option("--session <id>", "count only calls of this session")
    .option(
      "--since <time>",
      "start of the period, as an age (24h) or a date (2026-03-01), at most 30d ago",
      "7d",
    )
    .addOption(
      new Option("--by <what>", "group the calls by")
        .choices(["capability", "adapter", "principal", "both"])
        .default("capability"),
    )
    .addOption(createLimitOption())
    .action(async (options, command) =>
      run(readGlobals(command), async (context) => (await import("./stats.ts")).showStats(context, options)),
    );
  program
    .command("top")
    .description("watch calls per second, open approvals, due calls, locks and slow adapters")
    .option(
      "--once",
      "show the numbers once and exit (default if the output is a pipe or a file and not JSON)",
    )
    .action(async (options, command) =>
      run(readGlobals(command), async (context) => (await import("./top.ts")).showTop(context, options)),
    );
}
