import { createApiClient } from "../client.ts";
import { resolveConnection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { resolveCallId } from "../last.ts";
import type { ExplanationView } from "../policy-views.ts";
import { formatExplanation } from "../render/policy-explanation.ts";

/** Why policy said what it said of a call. */
export async function explainPolicy(context: Context, id: string): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const call = await resolveCallId(client, id);
  const view = await client.request<ExplanationView>(`/v1/calls/${encodeURIComponent(call)}/rulings`);
  if (context.json) output.json(view);
  else if (view.rulings.length === 0) output.info("Policy was not asked about this call.");
  else output.data(formatExplanation(view, output.paint));
  return exitCode.ok;
}
