import { createApiClient } from "../client.ts";
import { resolveConnection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { PolicyView } from "../policy-views.ts";
import { formatPolicySet } from "../render/policy-show.ts";

/** The policies in force, by file. */
export async function showPolicy(context: Context): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const view = await client.request<PolicyView>("/v1/policy");
  if (context.json) output.json(view);
  else output.data(formatPolicySet(view, output.paint));
  return exitCode.ok;
}
