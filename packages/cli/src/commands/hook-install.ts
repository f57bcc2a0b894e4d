import { homedir } from "node:os";
import { join } from "node:path";
import { stateHome } from "@paraph/server/local-record";
import { CliError, usageError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { applyEdits, edited, type FileEdit, openForEdit, previewOf, undoEdits } from "../file-edits/index.ts";
import { chosenParaph } from "../hook/chosen-paraph.ts";
import { hookCommand } from "../hook/command.ts";
import { type ClientSettings, clientSettings, groupsFor, type Where } from "../hook/settings.ts";
import { installing, removing } from "../hook/settings-edit.ts";
import { changesText } from "../render/changes.ts";

export interface InstallOptions {
  readonly yes?: boolean;
  readonly project?: boolean;
  readonly wait: number;
  readonly adapter?: string;
  readonly gateway: readonly string[];
}

/** Has a client ask Paraph before it uses a tool of its own: shows what that changes, and writes it on a yes. */
export async function hookInstall(
  context: Context,
  name: string,
  options: InstallOptions,
): Promise<ExitCode> {
  const client = clientNamed(name);
  const { wait: waitSeconds, adapter, gateway: gateways } = options;
  const asked = chosenParaph(context);
  if (asked === undefined) throw noParaph();
  const command = hookCommand(client.client, { ...asked, adapter, gateways, waitSeconds });
  const file = await openForEdit(fileOf(client, context, options));
  const edit = edited(file, installing(file, groupsFor(client, command, waitSeconds)));
  const isWritten = await written(context, client, edit, options);
  if (isWritten && !context.json) {
    const todo = [client.todo, "start it again", "`paraph doctor` proves that the hook is alive"];
    context.output.say(`Then:\n${todo.flatMap((line) => (line ? [`  - ${line}`] : [])).join("\n")}`);
  }
  return exitCode.ok;
}

/** Byte for byte as it was, or, where the file was changed since, without our entries. */
export async function hookUninstall(
  context: Context,
  name: string,
  options: Pick<InstallOptions, "yes" | "project">,
): Promise<ExitCode> {
  const client = clientNamed(name);
  const file = await openForEdit(fileOf(client, context, options));
  const edit = edited(file, removing(file, [client.before, ...client.after]));
  if (edit.pieces.length === 0)
    throw new CliError("no-hook", `There is no hook of Paraph's in \`${file.path}\`: nothing is changed.`);
  await written(context, client, edit, options, async () => {
    const undone = await undoEdits(journalOf(client, context)).catch((error) => {
      if (error instanceof CliError && error.code === "file-changed") return undefined;
      throw error;
    });
    if (!undone?.includes(file.path)) await applyEdits(journalOf(client, context), [edit]);
  });
  return exitCode.ok;
}

async function written(
  context: Context,
  client: ClientSettings,
  edit: FileEdit,
  { yes }: Pick<InstallOptions, "yes">,
  write = async () => void (await applyEdits(journalOf(client, context), [edit])),
): Promise<boolean> {
  const { output, json, question } = context;
  const change = previewOf(edit);
  if (!json) output.data(changesText([change], output.paint));
  const isAgreed =
    yes === true ||
    (question !== undefined &&
      !json &&
      /^y(?:es)?$/i.test((await question("Write this file? (y/N) ")).trim()));
  if (isAgreed) await write();
  if (json) output.json({ client: client.client, change, written: isAgreed });
  else output.say(isAgreed ? "Written." : "Nothing was written: add `--yes` to write it.");
  return isAgreed;
}

function clientNamed(name: string): ClientSettings {
  const found = clientSettings.find(({ client }) => client === name);
  if (found) return found;
  const known = clientSettings.map(({ client }) => client).join(", ");
  throw usageError(`\`${name}\` has no hooks that are known: ${known}.`);
}

function noParaph(): CliError {
  return new CliError(
    "no-server",
    "There is no Paraph in this folder: run `paraph dev` here once, or name one with `--url`; its key is then PARAPH_KEY.",
  );
}

function fileOf(
  client: ClientSettings,
  context: Context,
  { project }: Pick<InstallOptions, "project">,
): string {
  const [own, ofProject] = client.files(whereOf(context));
  return project ? ofProject! : own;
}

function whereOf({ environment, folder }: Context): Where {
  return { home: environment.HOME ?? homedir(), project: folder, environment };
}

/** Not in the project: these are this person's settings, whichever Paraph they ask. */
function journalOf({ client }: ClientSettings, { environment }: Context): string {
  return join(stateHome(environment), "hook-settings", client);
}
