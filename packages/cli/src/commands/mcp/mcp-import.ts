import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { digestFolder, findStateHome } from "@paraph/server/local-record";
import { findLocalUrl } from "../../lib/api/connection.ts";
import { CliError, notInteractiveError, usageError } from "../../lib/cli-error.ts";
import { mcpDocumentName } from "../../lib/config/mcp-document.ts";
import { dataFolderName } from "../../lib/config/paraph-folder.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { applyEdits, previewFileEdit, undoEdits } from "../../lib/file-edits/index.ts";
import { type ClientLocation, type McpClient, mcpClients } from "../../lib/mcp-clients/mcp-clients.ts";
import { askYesNo } from "../../lib/terminal/ask-yes-no.ts";
import { formatImportPlan } from "./import/format-plan.ts";
import { listImportedNames } from "./import/gateway-document.ts";
import { type ImportPlan, planImport } from "./import/import-plan.ts";
import { listRemainingSteps } from "./import/remaining-steps.ts";
import type { ParaphEndpoint } from "./import/replacement.ts";

export interface McpImportOptions {
  readonly yes?: boolean;
  readonly undo?: boolean;
  readonly entries?: boolean;
  readonly client?: readonly string[];
  readonly project: string;
  readonly bridge?: boolean;
  readonly sandbox: boolean;
}

/**
 * Puts the MCP servers of known clients behind Paraph. The command shows all changes first and writes them after
 * confirmation. It can also undo them.
 */
export async function importMcpServers(
  context: Context,
  only: readonly string[],
  options: McpImportOptions,
): Promise<ExitCode> {
  const journal = await findJournal(context);
  if (options.undo) return undoImport(context, journal, options.entries === true);
  const plan = await planImport({
    folder: context.folder,
    where: toClientLocation(context, options),
    clients: findClients(options.client),
    endpoint: await resolveEndpoint(context, options),
    isSandboxed: options.sandbox,
    adapters: await listConfiguredAdapters(context.folder),
    ...(only.length > 0 && { only }),
  });
  const unknown = only.find((name) => ![...plan.servers, ...plan.left].some((each) => each.name === name));
  if (unknown !== undefined)
    throw usageError(
      `No client has an MCP server \`${unknown}\`. Run the import without names to see all servers.`,
    );
  const todo = listRemainingSteps(plan, await checkSandbox());
  if (!context.json) printImportPlan(plan, todo, context);
  const isWritten = plan.edits.length > 0 && (options.yes === true || (await confirmWrite(context)));
  if (isWritten) {
    // The import creates home folders for servers in the data folder, so it claims that folder first.
    const { claimFolder } = await import("@paraph/server");
    await claimFolder(join(context.folder, dataFolderName), context.environment);
    await applyEdits(journal, plan.edits);
  }
  if (context.json) context.output.json(toImportView(plan, todo, isWritten));
  else if (isWritten)
    context.output.info(
      `Written. Press Enter in the terminal of \`paraph dev\`, or restart the server. Restart your clients. Commit ${mcpDocumentName}. To restore every file, run \`paraph mcp import --undo\`.`,
    );
  return exitCode.ok;
}

/**
 * Returns the path of the journal. A journal names files to write, so Paraph must not use a journal that came with a
 * cloned project. The journal is therefore outside the project folder.
 */
async function findJournal({ folder, environment }: Context): Promise<string> {
  return join(findStateHome(environment), "mcp-import", await digestFolder(folder));
}

async function undoImport(
  { output, json, folder }: Context,
  journal: string,
  pieces: boolean,
): Promise<ExitCode> {
  // The documentation asks people to edit this file, so their changes do not prevent the undo of the other files.
  const keepChanged = [join(folder, mcpDocumentName)];
  const listNames = () => listImportedNames(folder).catch(() => new Set<string>());
  const before = await listNames();
  const undone = await undoEdits(journal, { pieces, keepChanged }).catch((error) => {
    if (pieces || !(error instanceof CliError) || error.code !== "file-changed") throw error;
    const hint = "Or pass `--entries` to restore only the servers' entries in those files.";
    throw new CliError(error.code, `${error.message}\n${hint}`, { cause: error });
  });
  if (undone === undefined) throw new CliError("nothing-to-undo", "There is no import here to undo.");
  const { restored, kept } = undone;
  const after = await listNames();
  const pins = [...before]
    .filter((name) => !after.has(name))
    .map((name) => join(folder, "mcp-pins", `${name}.json`))
    .filter((file) => existsSync(file));
  if (json) output.json({ undone: restored, kept, pins });
  else {
    output.info(`Restored or removed files:\n${restored.map((file) => `  ${file}`).join("\n")}`);
    for (const file of kept)
      output.info(
        `Kept ${file}, because you changed it after the import. Delete it if you no longer need it.`,
      );
    if (pins.length > 0)
      output.info(
        `Kept the tool definitions that Paraph recorded when it started the servers. Delete them if you no longer need them:\n${pins.map((file) => `  ${file}`).join("\n")}`,
      );
    output.info("Press Enter in the terminal of `paraph dev`, or restart the server. Restart your clients.");
  }
  return exitCode.ok;
}

function toClientLocation({ environment, folder }: Context, { project }: McpImportOptions): ClientLocation {
  const home = environment.HOME ?? homedir();
  return { home, project: resolve(folder, project), environment, platform: process.platform };
}

function findClients(names: readonly string[] | undefined): readonly McpClient[] {
  const unknown = names?.find((name) => !mcpClients.some(({ id }) => id === name));
  if (unknown === undefined) return mcpClients.filter(({ id }) => !names || names.includes(id));
  throw usageError(
    `\`${unknown}\` is not a supported client. Supported clients: ${mcpClients.map(({ id }) => id).join(", ")}.`,
  );
}

async function resolveEndpoint(
  { folder, url: given, environment }: Context,
  options: McpImportOptions,
): Promise<ParaphEndpoint> {
  const elsewhere = given ?? environment.PARAPH_URL;
  const url = elsewhere ?? (await findLocalUrl(folder, environment));
  if (url === undefined)
    throw new CliError(
      "no-server",
      "The address of Paraph is unknown. Run `paraph dev` here once, or pass an address with `--url`.",
    );
  const self = [process.execPath, ...process.execArgv, process.argv[1]!] as const;
  const isBridge = options.bridge === true;
  return { url, folder, isNamed: elsewhere !== undefined, self, isBridge };
}

/** Lists the adapters that are defined in the configuration and were not imported. */
async function listConfiguredAdapters(folder: string): Promise<Set<string>> {
  // The module is imported on demand, because it loads the server package, which an undo does not need.
  const { readConfiguration } = await import("../../lib/config/configuration.ts");
  const { config } = await readConfiguration(folder);
  const imported = await listImportedNames(folder);
  return new Set(Object.keys(config.adapters ?? {}).filter((name) => !imported.has(name)));
}

function printImportPlan(plan: ImportPlan, todo: readonly string[], { output }: Context): void {
  const text = formatImportPlan(plan, output.paint);
  if (text !== "") output.data(text);
  if (plan.edits.length === 0) output.info("There is nothing to import.");
  if (todo.length > 0) output.info(`Still to do:\n${todo.map((line) => `  - ${line}`).join("\n")}`);
}

async function confirmWrite({ question, json }: Context): Promise<boolean> {
  // With `--json`, the output says that nothing was written.
  if (json) return false;
  if (!question) throw notInteractiveError();
  return askYesNo(question, "Write these files?");
}

async function checkSandbox(): Promise<{ missing?: string }> {
  const { findSandbox } = await import("@paraph/adapters/process");
  const here = await findSandbox();
  return here.kind === "missing" ? { missing: here.message } : {};
}

function toImportView(
  { servers, left, edits, missing, isKeyMissing }: ImportPlan,
  todo: readonly string[],
  written: boolean,
) {
  return {
    servers,
    left,
    files: edits.map(previewFileEdit),
    missing,
    keyMissing: isKeyMissing,
    todo,
    written,
  };
}
