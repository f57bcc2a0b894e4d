import { escapeInvisible, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import type { AdapterView } from "../../lib/api/api-views.ts";
import { findLocalServer, type ServerConnection } from "../../lib/api/connection.ts";
import { hasUnusedConfiguration, unusedConfiguration } from "../../lib/api/policy-source.ts";
import type { Context } from "../../lib/context.ts";
import { describeAdapterState } from "../../lib/render/adapter-state.ts";
import type { Paint } from "../../lib/terminal/output.ts";
import type { LocalServer } from "./local-server.ts";

/** The parts of the configuration that do not work as their author expects. */
export interface Warnings {
  /** The adapters that could not be opened, or that leave something out. */
  readonly troubled: readonly Pick<AdapterView, "name" | "state" | "code" | "message">[];
  /** Whether the policies of the configuration are not in force, because a published set replaced them. */
  readonly isPolicyUnused: boolean;
}

/** Finds the warnings about the running configuration. */
export async function findWarnings(context: Context, { folder, paraph }: LocalServer): Promise<Warnings> {
  const { signal } = context;
  const troubled = (await paraph.listAdapters(signal)).filter(({ state }) => state !== "ready");
  return { troubled, isPolicyUnused: await hasUnusedConfiguration(connectAsOwner(folder, context), signal) };
}

/** Formats each warning as one entry. */
export function formatWarnings({ troubled, isPolicyUnused }: Warnings, paint: Paint): string[] {
  const mark = paint("yellow", "!");
  return [
    ...troubled.map(
      ({ message = "", ...adapter }) =>
        `${mark} ${escapeInvisible(adapter.name)} is ${describeAdapterState(adapter)}. ${escapeInvisibleLines(message).join("\n")}`,
    ),
    ...(isPolicyUnused ? [`${mark} ${unusedConfiguration.message}; ${unusedConfiguration.advice}`] : []),
  ];
}

/** Returns the connection to the server that this command has started, regardless of the environment's address. */
async function connectAsOwner(folder: string, { environment }: Context): Promise<ServerConnection> {
  const { url, person } = (await findLocalServer(folder, environment))!;
  return { url, key: person };
}
