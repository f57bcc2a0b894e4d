import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { StatisticsView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatDuration, formatTimeAgo, formatTimestamp } from "../../lib/terminal/format-time.ts";
import { parseSince } from "../../lib/terminal/parse-since.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";

export interface StatsOptions {
  readonly capability?: string;
  readonly principal?: string;
  readonly session?: string;
  readonly since: string;
  readonly by: "capability" | "adapter" | "principal" | "both";
  readonly limit: number;
}

type StatisticsRow = StatisticsView["statistics"][number];
type StatisticsError = StatisticsView["errors"][number];

/** Shows statistics of calls: success rate, duration, retries, cost, and the last errors. */
export async function showStats(context: Context, options: StatsOptions): Promise<ExitCode> {
  const { output } = context;
  const { capability, principal, session, by, limit } = options;
  const now = Date.now();
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const query = new URLSearchParams({
    by,
    limit: String(limit),
    since: parseSince(options.since, now),
    ...(capability !== undefined && { capability }),
    ...(principal !== undefined && { principal }),
    ...(session !== undefined && { session }),
  });
  const found = await client.request<StatisticsView>(`/v1/statistics?${query}`);
  if (context.json) {
    output.json(found);
    return exitCode.ok;
  }
  if (found.statistics.length === 0) output.info("No call ended in that period.");
  else {
    output.info(output.paintInfo("dim", `since ${formatTimestamp(Date.parse(found.since))}`));
    output.data(formatTable(buildColumns(by), found.statistics, output.paint));
  }
  if (found.errors.length > 0) {
    output.info(`\nLast errors:`);
    for (const one of found.errors) output.info(`  ${formatErrorLine(one, now)}`);
  }
  return exitCode.ok;
}

function buildColumns(by: StatsOptions["by"]): TableColumn<StatisticsRow>[] {
  const group = (name: "capability" | "adapter" | "principal") => ({
    ...{ title: name.toUpperCase(), text: (one: StatisticsRow) => one[name] ?? "", flexible: true },
  });
  return [
    ...(by === "both" ? [group("capability"), group("principal")] : [group(by)]),
    { title: "CALLS", text: ({ calls }) => String(calls), right: true },
    { title: "SUCCEEDED", text: ({ successRate }) => formatRate(successRate), right: true },
    { title: "P50", text: ({ actingMs }) => (actingMs ? formatDuration(actingMs.p50) : ""), right: true },
    { title: "P95", text: ({ actingMs }) => (actingMs ? formatDuration(actingMs.p95) : ""), right: true },
    { title: "RETRIES", text: ({ retries }) => String(retries), right: true },
    { title: "SPENT", text: ({ spent }) => String(spent), right: true },
    { title: "TOKENS", text: ({ tokens }) => String(tokens.input + tokens.output), right: true },
    { title: "MAIN REASON", text: formatMainReason, flexible: true },
  ];
}

/** Returns the most frequent code of calls that did not succeed. */
function formatMainReason({ codes: [code] }: StatisticsRow): string {
  return code ? `${code.outcome} (${escapeInvisible(code.code)})` : "";
}

/** Rounds down, so that 99.96 % is not shown as 100 %. */
function formatRate(share: number | undefined): string {
  return share === undefined ? "" : `${Math.floor(share * 1_000) / 10} %`;
}

function formatErrorLine({ at, capability, outcome, code, call }: StatisticsError, now: number): string {
  return `${formatTimeAgo(Date.parse(at), now)}  ${escapeInvisible(capability)}  ${outcome} (${escapeInvisible(code)})  ${call}`;
}
