import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CliError, usageError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { workbenchOf } from "../policy-workbench.ts";

const target = "policies/ejected.cedar";

/** The Cedar that the preset and the short rules come to, to read; with `--write`, the rules' to take over. */
export async function policyEject(context: Context, options: { write?: boolean }): Promise<ExitCode> {
  const { output, folder } = context;
  const ejected = (await workbenchOf(folder)).eject();
  const { preset, rules, unattended } = ejected;
  if (!options.write) {
    if (context.json) output.json(ejected);
    else output.data([preset, rules ?? ""].join("\n").trimEnd());
    return exitCode.ok;
  }
  if (rules === undefined)
    throw usageError("The configuration has no `rules`: there is nothing to take over.");
  await writeNew(resolve(folder, target), rules);
  if (context.json) output.json({ file: target, unattended });
  else {
    output.say(
      `Wrote ${target}. Now remove \`rules\` from the configuration: together they would say it twice.`,
    );
    if (unattended.length > 0)
      output.say(`Name ${unattended.map((name) => `\`${name}\``).join(", ")} in its \`unattended\` instead.`);
  }
  return exitCode.ok;
}

/** What somebody has edited since is theirs. */
async function writeNew(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    throw new CliError("file-exists", `\`${target}\` is there already: move it away first.`);
  });
}
