import type { Command } from "commander";
import { parseWholeNumber, type RunCommand, readGlobals } from "../../lib/command-options.ts";

/** Adds the commands that show and test adapters. */
export function addAdapterCommands(program: Command, run: RunCommand): void {
  program
    .command("adapters")
    .description("list adapters and their state")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./adapters.ts")).showAdapters(context)),
    );
  program
    .command("adapter")
    .description("test your own adapter")
    .command("test <file>")
    .description("run the conformance test of an adapter")
    .option("--check", "also fail if a verification was skipped")
    .option("--crashes <number>", "number of times to kill the adapter's process in each case", (text) =>
      parseWholeNumber(text, 0, 10_000),
    )
    .action(async (testFile, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./adapter-test.ts")).testAdapter(context, testFile, options),
      ),
    );
}
