import type { Command } from "commander";
import { type RunCommand, readGlobals } from "../../lib/command-options.ts";

/** Adds the commands that store the address and the key of a server for later commands. */
export function addLoginCommands(program: Command, run: RunCommand): void {
  program
    .command("login")
    .description("store the address of a server and an API key for later commands")
    .addHelpText("after", loginHelp)
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./login.ts")).login(context)),
    );
  program
    .command("logout")
    .description("delete the stored address and API keys")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./logout.ts")).logout(context)),
    );
}

const loginHelp = `
The command asks for the key, or reads it from standard input. It checks the key
with the server first. The key of a person is used for decisions, administration
and reading, and the key of an agent for calls. You can store one of each.

Address and keys of later commands, first match wins:
  1. --url and PARAPH_URL, with PARAPH_KEY or PARAPH_APPROVER_KEY
  2. the server that \`paraph dev\` runs for this folder
  3. the stored login, outside of the folders of \`paraph dev\`

Examples:
  paraph login --url https://paraph.example.com
  paraph login --url https://paraph.example.com < key.txt`;
