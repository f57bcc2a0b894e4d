import { escapeInvisible, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import type { AdapterView } from "../../lib/api/api-views.ts";
import { findLocalServer, type ServerConnection } from "../../lib/api/connection.ts";
import { listPeople } from "../../lib/api/list-people.ts";
import {
  fetchActivePolicy,
  isConfigurationUnused,
  unusedConfiguration,
} from "../../lib/api/policy-source.ts";
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
