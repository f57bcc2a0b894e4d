import { renderSessionSnapshot, type SessionSnapshot } from "@paraph/core";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";

/** Shows the state of a session: open questions, calls, plans, outcomes and observations. */
export async function showSession(
  context: Context,
  session: string,
  { tokens }: { readonly tokens?: number },
): Promise<ExitCode> {
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const query = tokens === undefined ? "" : `?tokens=${tokens}`;
  const path = `/v1/sessions/${encodeURIComponent(session)}${query}`;
  const snapshot = await client.request<SessionSnapshot>(path);
  if (context.json) context.output.json(snapshot);
  else context.output.data(renderSessionSnapshot(snapshot));
  return exitCode.ok;
}
