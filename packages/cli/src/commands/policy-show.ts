import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { PolicyView } from "../policy-views.ts";
import { policyText } from "../render/policy-show.ts";

/** The policies in force, by file. */
export async function policyShow(context: Context): Promise<ExitCode> {
  const { output } = context;
  const client = clientFor(await connection(context, "reader"), context.signal);
  const view = await client.ask<PolicyView>("/v1/policy");
  if (context.json) output.json(view);
  else output.data(policyText(view, output.paint));
  return exitCode.ok;
}
