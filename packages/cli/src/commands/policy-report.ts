import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { PolicyReportView } from "../policy-views.ts";
import { reportText } from "../render/policy-report.ts";
import { sinceTime } from "../since.ts";

/** What policy said in a span of time; in observe mode, what it would have said. */
export async function policyReport(context: Context, options: { since: string }): Promise<ExitCode> {
  const { output } = context;
  const since = sinceTime(options.since, Date.now());
  const client = clientFor(await connection(context, "reader"), context.signal);
  const view = await client.ask<PolicyReportView>(`/v1/policy/report?since=${encodeURIComponent(since)}`);
  if (context.json) output.json(view);
  else output.data(reportText(view, output.paint));
  return exitCode.ok;
}
