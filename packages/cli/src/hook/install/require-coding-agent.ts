import { existsSync } from "node:fs";
import { join } from "node:path";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { findRecordFile } from "@paraph/server/local-record";
import type { AdapterView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { CliError } from "../../lib/cli-error.ts";
import { dataFolderName } from "../../lib/config/paraph-folder.ts";
import type { Context } from "../../lib/context.ts";
import { defaultAdapter, formatCodingAgentAdvice } from "../messages.ts";
import type { TargetParaph } from "./hook-command.ts";

type KnownAdapter = Pick<AdapterView, "name" | "kind">;

/**
 * Refuses to install a hook that would deny every tool use, because its Paraph has no `codingAgent()` of that name. If
 * neither the running server nor the configuration can be read, the hook can be installed.
 */
export async function requireCodingAgent(
  context: Context,
  target: TargetParaph,
  adapter = defaultAdapter,
): Promise<void> {
  const adapters = (await fetchAdapters(context, target)) ?? (await readConfiguredAdapters(context, target));
  if (adapters === undefined) return;
  const agents = adapters.filter(({ kind }) => kind === "coding-agent").map(({ name }) => name);
  if (agents.includes(adapter)) return;
  const [other] = agents;
  const [why, advice] =
    other === undefined
      ? ["Paraph's configuration has no `codingAgent()`", formatCodingAgentAdvice(adapter)]
      : [`No \`codingAgent()\` is called \`${adapter}\``, `pass \`--adapter ${escapeInvisible(other)}\``];
  throw new CliError(
    "no-coding-agent",
    `${why}, so the hook would deny every tool use. Nothing was written. To fix it, ${advice}.`,
  );
}

/** Asks the running server that the hook will ask. Returns undefined if there is no answer. */
async function fetchAdapters(
  context: Context,
  { folder = context.folder, url }: TargetParaph,
): Promise<readonly KnownAdapter[] | undefined> {
  try {
    const connection = await resolveConnection({ ...context, folder, url, ignoresLogin: true }, "agent");
    const client = createApiClient(connection, context.signal);
    return (await client.request<{ adapters: AdapterView[] }>("/v1/adapters")).adapters;
  } catch (error) {
    if (error instanceof CliError && !context.signal.aborted) return undefined;
    throw error;
  }
}

/**
 * Reads the configuration of a Paraph that does not run. Returns undefined if it is elsewhere or invalid.
 * [TRUST 31] A configuration is code. The function runs it only if this user's `paraph dev` has run here before, because
 * the folder may be a copy of a foreign project.
 */
async function readConfiguredAdapters(
  { environment }: Context,
  { folder }: TargetParaph,
): Promise<readonly KnownAdapter[] | undefined> {
  const isOwn =
    folder !== undefined && existsSync(await findRecordFile(join(folder, dataFolderName), environment));
  if (!isOwn) return undefined;
  const { readConfiguration } = await import("../../lib/config/configuration.ts");
  const found = await readConfiguration(folder).catch(() => undefined);
  return found && Object.entries(found.config.adapters ?? {}).map(([name, { kind }]) => ({ name, kind }));
}
