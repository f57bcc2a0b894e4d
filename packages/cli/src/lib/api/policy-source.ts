import { CliError } from "../cli-error.ts";
import { createApiClient } from "./client.ts";
import type { ServerConnection } from "./connection.ts";
import type { PolicyView } from "./policy-views.ts";

/** Whether a published set is in force that differs from the configuration's set. */
export function isConfigurationUnused({ source, configured, version }: PolicyView): boolean {
  return source === "published" && configured !== version;
}

/**
 * Asks the server whether a published policy set has replaced that of its configuration. Returns false if the caller
 * may not read the policy set.
 */
export async function hasUnusedConfiguration(
  connection: Promise<ServerConnection>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const client = createApiClient(await connection, signal);
    return isConfigurationUnused(await client.request<PolicyView>("/v1/policy"));
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

export const unusedConfiguration = {
  message: "a published policy set is in force, and the configuration's policies differ from it",
  advice: "to put the configuration's policies in force, run `paraph policy publish`",
};
