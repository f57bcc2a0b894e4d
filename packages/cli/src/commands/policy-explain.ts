import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { callNamed } from "../last.ts";
import type { ExplanationView } from "../policy-views.ts";
import { explanationText } from "../render/policy-explanation.ts";

/** Why policy said what it said of a call. */
export async function policyExplain(context: Context, id: string): Promise<ExitCode> {
  const { output } = context;
  const client = clientFor(await connection(context, "reader"), context.signal);
  const call = await callNamed(client, id);
  const view = await client.ask<ExplanationView>(`/v1/calls/${encodeURIComponent(call)}/rulings`);
  if (context.json) output.json(view);
  else if (view.rulings.length === 0) output.say("Policy was not asked about this call.");
  else output.data(explanationText(view, output.paint));
  return exitCode.ok;
}
