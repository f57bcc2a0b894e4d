import { CliError } from "../cli-error.ts";
import { createApiClient } from "./client.ts";
import type { ServerConnection } from "./connection.ts";
import type { PolicyView } from "./policy-views.ts";

/** Whether a published set is in force that differs from the configuration's set. */
export function isConfigurationUnused({ source, configured, version }: PolicyView): boolean {
  return source === "published" && configured !== version;
}

/** Fetches the policy set in force. Returns undefined if the caller may not read it. */
export async function fetchActivePolicy(
  connection: Promise<ServerConnection>,
  signal: AbortSignal,
): Promise<PolicyView | undefined> {
  try {
    const client = createApiClient(await connection, signal);
    return await client.request<PolicyView>("/v1/policy");
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

export const unusedConfiguration = {
  message: "a published policy set is in force, and the configuration's policies differ from it",
  advice: "to put the configuration's policies in force, run `paraph policy publish`",
};
