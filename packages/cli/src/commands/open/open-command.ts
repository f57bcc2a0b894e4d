import type { Command } from "commander";
import { type RunCommand, readGlobals } from "../../lib/command-options.ts";

/** Adds `paraph open`. */
export function addOpenCommand(program: Command, run: RunCommand): void {
  program
    .command("open [id]")
    .description("open the page of a call or an approval in the browser (default: the open approvals)")
    .option("--print", "print the address, and open nothing")
    .addHelpText("after", openExamples)
    .action(async (id, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./open.ts")).openPage(context, id, options),
      ),
    );
}

const openExamples = `
Examples:
  paraph open                     # the open approvals
  paraph open last                # the newest call
  paraph open ask_01k2m4x7p9      # an approval
  paraph open call_01k2m4x7p9     # a call`;
