import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { PolicyView } from "../../lib/api/policy-views.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatPolicySet } from "../../lib/render/policy/policy-show.ts";

export async function showPolicy(context: Context): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const view = await client.request<PolicyView>("/v1/policy");
  if (context.json) output.json(view);
  else output.data(formatPolicySet(view, output.paint));
  return exitCode.ok;
}
