import { createApiClient } from "../client.ts";
import { resolveConnection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { PolicyReportView } from "../policy-views.ts";
import { formatPolicyReport } from "../render/policy-report.ts";
import { parseSince } from "../since.ts";

/** What policy said in a span of time; in observe mode, what it would have said. */
export async function showPolicyReport(context: Context, options: { since: string }): Promise<ExitCode> {
  const { output } = context;
  const since = parseSince(options.since, Date.now());
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const view = await client.request<PolicyReportView>(`/v1/policy/report?since=${encodeURIComponent(since)}`);
  if (context.json) output.json(view);
  else output.data(formatPolicyReport(view, output.paint));
  return exitCode.ok;
}
