import { type Command, InvalidArgumentError, Option } from "commander";
import type { GlobalOptions, RunCommand } from "../../program.ts";

/** Adds the commands for observations and statistics. */
export function addObservabilityCommands(program: Command, run: RunCommand): void {
  program
    .command("observations")
    .description("list what adapters perceived in the world, the last of it")
    .option("--adapter <name>", "only of this adapter")
    .option("--kind <kind>", "only of this kind: file.changed …")
    .option("--subject <text>", "only of what is called so out there")
    .option("--since <time>", "24h, 30d or 2026-03-01")
    .option("--after <number>", "only those after this number", (text) => parseWholeNumber(text, 0))
    .option("--follow", "go on, with each as it comes")
    .option("--looks", "when each adapter looked, looks next, and why not")
    .addOption(createLimitOption())
    .action(async (options, command) =>
      run(command.optsWithGlobals() as GlobalOptions, async (context) =>
        (await import("./observations.ts")).showObservations(context, options),
      ),
    );
  program
    .command("stats")
    .description("show how calls ended: how often well, how fast, what they cost, and the last errors")
    .option("--capability <name>", "only of this capability")
    .option("--principal <id>", "only what they asked for")
    .option("--since <time>", "24h, 2026-03-01, 30d at most", "7d")
    .addOption(
      new Option("--by <what>", "a line for each")
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
  return new Option("--limit <number>", "how many at most")
    .default(20)
    .argParser((text) => parseWholeNumber(text, 1, 100));
}

function parseWholeNumber(text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new InvalidArgumentError(`It is a whole number from ${least} on.`);
}
