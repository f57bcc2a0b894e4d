import { homedir } from "node:os";
import { join } from "node:path";
import { findStateHome } from "@paraph/server/local-record";
import type { HookClient } from "../../hook/hook-event.ts";
import {
  buildHookGroups,
  type ClientSettings,
  clientSettings,
  type SettingsLocation,
} from "../../hook/install/client-settings.ts";
import { buildHookCommand } from "../../hook/install/hook-command.ts";
import { requireCodingAgent } from "../../hook/install/require-coding-agent.ts";
import { buildInstallEdits, buildRemovalEdits } from "../../hook/install/settings-edit.ts";
import { resolveTargetParaph } from "../../hook/install/target-paraph.ts";
import { CliError, notInteractiveError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import {
  applyEdits,
  buildFileEdit,
  type FileEdit,
  openForEdit,
  previewFileEdit,
  undoEdits,
} from "../../lib/file-edits/index.ts";
import { formatChanges } from "../../lib/render/changes.ts";
import { askYesNo } from "../../lib/terminal/ask-yes-no.ts";

export interface HookInstallOptions {
  readonly yes?: boolean;
  readonly project?: boolean;
  readonly wait: number;
  readonly adapter?: string;
  readonly gateway: readonly string[];
}

/**
 * Installs the hook that makes a client ask Paraph before it uses its own tools. The command shows the change and
 * writes it after confirmation.
 */
export async function installHook(
  context: Context,
  name: HookClient,
  options: HookInstallOptions,
): Promise<ExitCode> {
  const client = findClientSettings(name);
  const { wait, adapter, gateway } = options;
  const asked = resolveTargetParaph(context);
  if (asked === undefined) throw noServerError();
  await requireCodingAgent(context, asked, adapter);
  const command = buildHookCommand(client.client, {
    ...asked,
    adapter,
    gateways: gateway,
    waitSeconds: wait,
  });
  const file = await openForEdit(findSettingsFile(client, context, options));
  const edit = buildFileEdit(file, buildInstallEdits(file, buildHookGroups(client, command, wait)));
  if (edit.pieces.length === 0) {
    const change = previewFileEdit(edit);
    if (context.json) context.output.json({ client: client.client, change, written: false });
    else context.output.info("The hook is already installed. Nothing was changed.");
    return exitCode.ok;
  }
  const isWritten = await confirmAndWrite(context, client, edit, options);
  if (isWritten && !context.json) {
    const todo = [client.todo, "restart the client", "run `paraph doctor` to check that the hook works"];
    context.output.info(`Then:\n${todo.flatMap((line) => (line ? [`  - ${line}`] : [])).join("\n")}`);
  }
  return exitCode.ok;
}

/**
 * Restores the settings file byte for byte. If the file has changed since the install, the command removes only
 * Paraph's entries.
 */
export async function uninstallHook(
  context: Context,
  name: HookClient,
  options: Pick<HookInstallOptions, "yes" | "project">,
): Promise<ExitCode> {
  const client = findClientSettings(name);
  const path = findSettingsFile(client, context, options);
  const edit = await planRemoval(path, client);
  if (edit.pieces.length === 0)
    throw new CliError("no-hook", `There is no Paraph hook in \`${edit.path}\`, so nothing was changed.`);
  await confirmAndWrite(context, client, edit, options, () =>
    restoreSettings(toJournalPath(client, context), path, client),
  );
  return exitCode.ok;
}

/**
 * Undoes every install in turn, because an install with other options replaces the hook of an earlier one. If a hook is
 * left, removes its entries.
 */
async function restoreSettings(journal: string, path: string, client: ClientSettings): Promise<void> {
  for (;;) {
    const edit = await planRemoval(path, client);
    if (edit.pieces.length === 0) return;
    const undone = await undoEdits(journal, { path: edit.path }).catch((error) => {
      if (error instanceof CliError && error.code === "file-changed") return undefined;
      throw error;
    });
    if (undone === undefined) {
      await applyEdits(journal, [edit]);
      return;
    }
  }
}

async function planRemoval(path: string, { beforeEvent, afterEvents }: ClientSettings): Promise<FileEdit> {
  const file = await openForEdit(path);
  return buildFileEdit(file, buildRemovalEdits(file, [beforeEvent, ...afterEvents]));
}

async function confirmAndWrite(
  context: Context,
  client: ClientSettings,
  edit: FileEdit,
  { yes }: Pick<HookInstallOptions, "yes">,
  write: () => Promise<unknown> = () => applyEdits(toJournalPath(client, context), [edit]),
): Promise<boolean> {
  const { output, json, question } = context;
  const change = previewFileEdit(edit);
  if (!json) output.data(formatChanges([change], output.paint));
  if (!yes && !json && !question) throw notInteractiveError();
  const isAgreed =
    yes === true || (question !== undefined && !json && (await askYesNo(question, "Write this file?")));
  if (isAgreed) await write();
  if (json) output.json({ client: client.client, change, written: isAgreed });
  else output.info(isAgreed ? "Written." : "Nothing was written.");
  return isAgreed;
}

function findClientSettings(name: HookClient): ClientSettings {
  return clientSettings.find(({ client }) => client === name)!;
}

function noServerError(): CliError {
  return new CliError(
    "no-server",
    "There is no Paraph in this folder. Run `paraph dev` here once, or pass an address with `--url` and set PARAPH_KEY to its key.",
  );
}

function findSettingsFile(
  client: ClientSettings,
  context: Context,
  { project }: Pick<HookInstallOptions, "project">,
): string {
  const [own, ofProject] = client.files(toSettingsLocation(context));
  return project ? ofProject! : own;
}

function toSettingsLocation({ environment, folder }: Context): SettingsLocation {
  return { home: environment.HOME ?? homedir(), project: folder, environment };
}

/**
 * Returns the path of the journal. The journal records changes to the person's own settings, which are not specific to
 * one project or one Paraph. The journal is therefore outside the project.
 */
function toJournalPath({ client }: ClientSettings, { environment }: Context): string {
  return join(findStateHome(environment), "hook-settings", client);
}
