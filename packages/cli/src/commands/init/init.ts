import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { CliError, usageError } from "../../lib/cli-error.ts";
import { findConfigurationFile, workspaceFolder } from "../../lib/config/configuration.ts";
import { isBehindLink } from "../../lib/config/is-behind-link.ts";
import { dataFolderName } from "../../lib/config/paraph-folder.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatCommands } from "../../lib/render/commands.ts";
import { formatPresets, presetNames } from "./presets.ts";
import { renderConfiguration } from "./render-configuration.ts";

export interface InitOptions {
  readonly folder: string;
  readonly workspace?: string;
  readonly policy?: string;
  readonly yes?: boolean;
}

/** Writes the files of a new configuration. It never changes a file that exists. */
export async function initFolder(context: Context, options: InitOptions): Promise<ExitCode> {
  const { output } = context;
  const folder = resolve(context.folder, options.folder);
  const existing = findConfigurationFile(folder);
  if (existing !== undefined)
    throw new CliError(
      "config-exists",
      `There is already a configuration, \`${existing}\`, and nothing was changed. Edit it, or name another folder with \`--folder\`.`,
    );
  if (!options.yes && context.question === undefined)
    throw usageError(
      "Not an interactive terminal. Pass `--yes` to write the files without questions. `--workspace` and `--policy` change the defaults.",
    );
  const question = options.yes ? undefined : context.question;
  const workspace = await choose(options.workspace, {
    ...{ text: "Folder that agents may work in", usual: workspaceFolder, question, output },
    require: (given) => requireWorkspace(folder, given),
  });
  if (question && options.policy === undefined) output.info(formatPresets());
  const policy = await choose(options.policy, {
    ...{ text: "Policy", usual: "balanced", question, output },
    require: requirePolicy,
  });
  const files = [
    ["paraph.config.ts", renderConfiguration({ workspace, policy })],
    [".gitignore", ".paraph/\nnode_modules/\nsecrets/\n"],
    // Git keeps no empty folders, and the adapter needs the folder on every machine.
    [`${workspace}/.gitkeep`, ""],
  ] as const;
  const written: string[] = [];
  for (const [name, text] of files) if (await writeNew(join(folder, name), text)) written.push(name);
  const isSecretsTracked = !(await readFile(join(folder, ".gitignore"), "utf8")).includes("secrets");
  if (context.json) {
    output.json({ folder, written, policy, workspace });
    return exitCode.ok;
  }
  const paint = output.paintInfo;
  for (const [name] of files) {
    const isNew = written.includes(name);
    output.info(`${isNew ? paint("green", "✔ wrote") : paint("dim", "- kept ")} ${name}`);
  }
  if (isSecretsTracked)
    output.info(`${paint("yellow", "!")} Add \`secrets/\` to .gitignore, so that git never stores a secret.`);
  const inFolder = relative(context.folder, folder);
  const option = inFolder === "" ? "" : ` --folder ${inFolder}`;
  output.info("");
  output.info(
    formatCommands(
      [
        [`paraph dev${option}`, "start Paraph here, with its own PostgreSQL"],
        [`paraph start${option}`, "later, for a team, on your own PostgreSQL"],
      ],
      paint,
    ),
  );
  return exitCode.ok;
}

interface Choice extends Pick<Context, "question" | "output"> {
  readonly text: string;
  readonly usual: string;
  /** Returns the value, or throws a `CliError` that says why it cannot be used. */
  readonly require: (given: string) => string;
}

/** Returns the given value, or else the person's answer. Asks again until the answer can be used. */
async function choose(
  given: string | undefined,
  { text, usual, require, question, output }: Choice,
): Promise<string> {
  if (given !== undefined || question === undefined) return require(given ?? usual);
  for (;;) {
    const answer = (await question(`${text} [${usual}]: `)).trim() || usual;
    try {
      return require(answer);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      output.info(`${output.paintInfo("yellow", "!")} ${error.message}`);
    }
  }
}

/** The folders next to the configuration that agents must not change, and what they hold. */
const reservedFolders: Readonly<Record<string, string>> = {
  [dataFolderName]: "Paraph's data and its signing key",
  policies: "your policies",
  secrets: "your secrets",
  ".git": "the history of this repository",
};

/** The folder must be below the configuration, because an agent could otherwise change the configuration itself. */
function requireWorkspace(folder: string, given: string): string {
  const path = given.replace(/^~(?=\/|$)/, homedir());
  const workspace = relative(folder, resolve(folder, path)).split(sep).join("/");
  const [top = ""] = workspace.split("/");
  if (Object.hasOwn(reservedFolders, top))
    throw usageError(
      `Agents must not work in \`${given}\`, because \`${top}\` holds ${reservedFolders[top]}. Name a folder such as \`${workspaceFolder}\`.`,
    );
  const isBelow = workspace !== "" && workspace !== ".." && !/^(\.\.)?\//.test(workspace);
  if (isBelow && !isBehindLink(folder, workspace)) return workspace;
  throw usageError(
    `\`${given}\` is not below the folder of the configuration, so an agent could change the configuration or files elsewhere. Name a folder such as \`${workspaceFolder}\`. You can add other folders to \`paraph.config.ts\` later.`,
  );
}

function requirePolicy(given: string): string {
  if (presetNames.includes(given)) return given;
  throw usageError(`\`${given}\` is not a policy. Choose one of ${presetNames.join(", ")}.`);
}

async function writeNew(path: string, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
