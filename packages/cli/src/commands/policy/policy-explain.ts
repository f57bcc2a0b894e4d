import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { ExplanationView } from "../../lib/api/policy-views.ts";
import { resolveCallId } from "../../lib/calls/resolve-id.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatExplanation } from "../../lib/render/policy/policy-explanation.ts";

/** Shows why policy ruled on a call as it did. */
export async function explainPolicy(context: Context, id: string): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const call = await resolveCallId(client, id);
  const view = await client.request<ExplanationView>(`/v1/calls/${encodeURIComponent(call)}/rulings`);
  if (context.json) output.json(view);
  else if (view.rulings.length === 0) output.info("Policy has not ruled on this call.");
  else output.data(formatExplanation(view, output.paint));
  return exitCode.ok;
}
