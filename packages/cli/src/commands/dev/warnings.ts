import { escapeInvisible, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import type { AdapterView, CallSummaryView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { findLocalServer, type ServerConnection } from "../../lib/api/connection.ts";
import { listPeople } from "../../lib/api/list-people.ts";
import {
  fetchActivePolicy,
  isConfigurationUnused,
  unusedConfiguration,
} from "../../lib/api/policy-source.ts";
import { listCalls } from "../../lib/calls/list-calls.ts";
import type { Context } from "../../lib/context.ts";
import { describeAdapterState } from "../../lib/render/adapter-state.ts";
import { findUnapprovablePolicies, type MissingApprovers } from "../../lib/render/missing-approvers.ts";
import type { Paint } from "../../lib/terminal/output.ts";
import type { LocalServer } from "./local-server.ts";

/** The parts of the configuration that do not work as their author expects. */
export interface Warnings {
  /** The adapters that could not be opened, or that leave something out. */
  readonly troubled: readonly Pick<AdapterView, "name" | "state" | "code" | "message">[];
  /** Whether the policies of the configuration are not in force, because a published set replaced them. */
  readonly isPolicyUnused: boolean;
  /** The policies that demand more approvers than there are. */
  readonly unapprovable: readonly MissingApprovers[];
}

/** Finds the warnings about the running configuration. */
export async function findWarnings(context: Context, { folder, paraph }: LocalServer): Promise<Warnings> {
  const { signal } = context;
  const troubled = (await paraph.listAdapters(signal)).filter(({ state }) => state !== "ready");
  const connection = connectAsOwner(folder, context);
  const policy = await fetchActivePolicy(connection, signal);
  const people = await listPeople(context, connection);
  return {
    troubled,
    isPolicyUnused: policy !== undefined && isConfigurationUnused(policy),
    unapprovable: policy && people ? findUnapprovablePolicies(policy, people) : [],
  };
}

/**
 * Warns about the calls that the previous process left behind: those that it was performing when it died, and those whose
 * outcome is unknown.
 */
export async function formatLeftBehind(
  context: Context,
  { folder }: LocalServer,
  paint: Paint,
): Promise<readonly string[]> {
  const client = createApiClient(await connectAsOwner(folder, context), context.signal);
  const list = async (filter: Readonly<Record<string, string>>) =>
    (await listCalls<CallSummaryView>(client, filter, 100)).calls;
  const interrupted = (await list({ state: "open" })).filter(({ state }) => state === "performing");
  const unknown = await list({ outcome: "unknown", resolved: "false" });
  const mark = paint("yellow", "!");
  return [
    ...(interrupted.length > 0
      ? [
          `${mark} Calls that were being performed when Paraph stopped: ${interrupted.length}. Paraph now finds out what happened: paraph calls`,
        ]
      : []),
    ...(unknown.length > 0
      ? [
          `${mark} Calls with an unknown outcome: ${unknown.length}. Record what you find out about them: paraph calls --unknown`,
        ]
      : []),
  ];
}

/** Formats each warning as one entry. */
export function formatWarnings({ troubled, isPolicyUnused, unapprovable }: Warnings, paint: Paint): string[] {
  const mark = paint("yellow", "!");
  return [
    ...troubled.map(
      ({ message = "", ...adapter }) =>
        `${mark} ${escapeInvisible(adapter.name)} is ${describeAdapterState(adapter)}. ${escapeInvisibleLines(message).join("\n")}`,
    ),
    ...(isPolicyUnused ? [`${mark} ${unusedConfiguration.message}; ${unusedConfiguration.advice}`] : []),
    ...unapprovable.map(({ message, command }) => `${mark} ${message}: ${command}`),
  ];
}

/** Returns the connection to the server that this command has started, regardless of the environment's address. */
async function connectAsOwner(folder: string, { environment }: Context): Promise<ServerConnection> {
  const { url, person } = (await findLocalServer(folder, environment))!;
  return { url, key: person };
}
