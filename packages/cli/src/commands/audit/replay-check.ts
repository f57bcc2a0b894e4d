import { resolve } from "node:path";
import { checkReplay, type ReplayCheck, type ReplayDifference } from "@paraph/server";
import { createApiClient } from "../../lib/api/client.ts";
import { type DatabaseAccess, findLocalDatabase, resolveConnection } from "../../lib/api/connection.ts";
import { resolveCallId } from "../../lib/calls/resolve-id.ts";
import { CliError, usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";
import { loadTrustedKeys } from "./trusted-keys.ts";

export interface ReplayCheckOptions {
  readonly database?: string;
  readonly tenant?: string;
  readonly key?: string;
  readonly archive?: string;
}

/**
 * Rebuilds the rows of one call, or of all calls of a tenant, from events alone. Reports differences from the stored
 * rows.
 */
export async function runReplayCheck(
  context: Context,
  named: string | undefined,
  options: ReplayCheckOptions,
): Promise<ExitCode> {
  const { output } = context;
  const { url, tenant } = await resolveDatabase(context, options);
  const call = named === "last" ? await findLastCall(context) : named;
  const checked = await checkReplay(url, {
    tenant,
    ...(call !== undefined && { call }),
    ...(await readArchiveOptions(context, options)),
    progress: (calls) => output.status(output.paintInfo("dim", `${calls} calls …`)),
  }).finally(() => output.status(""));
  if (call !== undefined && checked.calls === 0 && checked.differences.length === 0)
    throw new CliError("call-unknown", `There is no call \`${call}\` in the tenant \`${tenant}\`.`);
  if (context.json) output.json(checked);
  else printReplayCheck(checked, context);
  return checked.differences.length === 0 ? exitCode.ok : exitCode.failed;
}

/** Returns the keys for manifests of archives. Without any key, archived calls count as missing. */
async function readArchiveOptions(context: Context, { key, archive }: ReplayCheckOptions) {
  const trusted = await loadTrustedKeys(key, context).catch((error: unknown) => {
    if (key !== undefined || archive !== undefined) throw error;
    return undefined;
  });
  return {
    ...(trusted && { trusted: trusted.keys }),
    ...(archive !== undefined && { archiveFolder: resolve(context.folder, archive) }),
  };
}

async function findLastCall(context: Context): Promise<string> {
  return resolveCallId(createApiClient(await resolveConnection(context, "reader"), context.signal), "last");
}

/**
 * Returns the address of the database and the tenant. If neither `--database` nor DATABASE_URL is set, uses the
 * database of the running `paraph dev`.
 */
async function resolveDatabase(
  { environment, folder }: Context,
  { database, tenant }: ReplayCheckOptions,
): Promise<DatabaseAccess> {
  const url = database ?? environment.DATABASE_URL;
  const local = url === undefined ? await findLocalDatabase(folder, environment) : undefined;
  if (local) return { ...local, ...(tenant !== undefined && { tenant }) };
  if (url === undefined)
    throw new CliError(
      "no-database",
      "Paraph is not running in this folder. Start it with `paraph dev`, or pass the address of its database in `--database` or DATABASE_URL.",
    );
  if (tenant === undefined) throw usageError("Name the tenant to check: `--tenant NAME`.");
  return { url, tenant };
}

function printReplayCheck(
  { calls, events, erased, archived, differences }: ReplayCheck,
  { output }: Context,
): void {
  const { paint } = output;
  const what = `${calls} ${calls === 1 ? "call" : "calls"} rebuilt from ${events} ${events === 1 ? "event" : "events"}`;
  if (differences.length === 0) {
    const more = `${erased === 0 ? "" : `, ${erased} erased`}${archived === 0 ? "" : `, ${archived} more archived`}`;
    output.data(`${paint("green", "✔")} ${what}: every row matches${more}`);
    return;
  }
  if (differences.some(({ table, found }) => table === "archive" && found === "not verified"))
    output.info("An archive does not verify. Pass the public keys that signed it with `--key KEYS.json`.");
  const wrong = new Set(differences.map(({ call }) => call)).size;
  output.data(`${paint("red", "✘")} ${what}: ${wrong} ${wrong === 1 ? "differs" : "differ"}\n`);
  output.data(formatTable(columns, differences, paint));
}

const columns: readonly TableColumn<ReplayDifference>[] = [
  { title: "CALL", text: ({ call }) => call },
  { title: "FIELD", text: ({ table, column }) => (column === undefined ? table : `${table}.${column}`) },
  { title: "ROW", text: ({ row }) => row },
  { title: "FROM EVENTS", text: ({ told }) => told, style: () => "green" },
  { title: "IN TABLE", text: ({ found }) => found, style: () => "red" },
];
