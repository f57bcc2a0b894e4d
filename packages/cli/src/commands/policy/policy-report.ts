import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { PolicyReportView } from "../../lib/api/policy-views.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatPolicyReport } from "../../lib/render/policy/policy-report.ts";
import { parseSince } from "../../lib/terminal/parse-since.ts";

/** Shows the rulings of a period. In observe mode, shows the rulings that policy would have made. */
export async function showPolicyReport(context: Context, options: { since: string }): Promise<ExitCode> {
  const { output } = context;
  const since = parseSince(options.since, Date.now());
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const view = await client.request<PolicyReportView>(`/v1/policy/report?since=${encodeURIComponent(since)}`);
  if (context.json) output.json(view);
  else output.data(formatPolicyReport(view, output.paint));
  return exitCode.ok;
}
