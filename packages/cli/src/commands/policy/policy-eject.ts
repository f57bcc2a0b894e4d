import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CliError, usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { openPolicyWorkbench } from "./policy-workbench.ts";

const ejectedFile = "policies/ejected.cedar";

/**
 * Prints the Cedar policies that the preset and the short rules generate. With `--write`, creates a file that contains
 * only the policies of the short rules.
 */
export async function ejectPolicy(context: Context, options: { write?: boolean }): Promise<ExitCode> {
  const { output, folder } = context;
  const ejected = (await openPolicyWorkbench(folder)).eject();
  const { preset, rules, unattended } = ejected;
  if (!options.write) {
    if (context.json) output.json(ejected);
    else output.data([preset, rules ?? ""].join("\n").trimEnd());
    return exitCode.ok;
  }
  if (rules === undefined)
    throw usageError("The configuration has no `rules`, so there is nothing to write.");
  await writeNewFile(resolve(folder, ejectedFile), rules);
  if (context.json) output.json({ file: ejectedFile, unattended });
  else {
    output.info(
      `Wrote ${ejectedFile}. Now remove \`rules\` from the configuration, so that its policies do not exist twice.`,
    );
    if (unattended.length > 0)
      output.info(
        `Also add ${unattended.map((name) => `\`${name}\``).join(", ")} to \`unattended\` in the configuration.`,
      );
  }
  return exitCode.ok;
}

/** Never overwrites a file, because a person may have edited it. */
async function writeNewFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    throw new CliError(
      "file-exists",
      `\`${ejectedFile}\` already exists. Move or delete the file, then run the command again.`,
    );
  });
}
