import type { ActivityView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { pickOutcomeStyle } from "../../lib/render/outcome.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";
import { parseSince } from "../../lib/terminal/parse-since.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";

export interface ActivityOptions {
  readonly plan?: string;
  readonly call?: string;
  readonly principal?: string;
  readonly capability?: string;
  readonly kind?: string;
  readonly outcome?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly format: "table" | "csv" | "jsonl" | "ocsf";
}

/** Shows who requested, approved, applied and undid calls, either as a table or as a full export for other programs. */
export async function showActivity(context: Context, options: ActivityOptions): Promise<ExitCode> {
  const { output } = context;
  const { format, limit, since, until, ...filters } = options;
  const now = Date.now();
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const query = new URLSearchParams({
    ...toFilterParams(filters),
    ...(since !== undefined && { since: parseSince(since, now) }),
    ...(until !== undefined && { until: parseSince(until, now) }),
  });
  if (format !== "table") {
    for await (const piece of client.text(`/v1/activity?${query}&format=${format}`)) output.raw(piece);
    return exitCode.ok;
  }

  const found: ActivityView[] = [];
  let next: string | undefined;
  do {
    const page = new URLSearchParams({
      limit: String(limit - found.length),
      ...(next !== undefined && { before: next }),
    });
    const answer = await client.request<{ activity: ActivityView[]; next?: string }>(
      `/v1/activity?${query}&${page}`,
    );
    found.push(...answer.activity);
    next = answer.next;
  } while (next !== undefined && found.length < limit);
  if (context.json) output.json({ activity: found, ...(next !== undefined && { next }) });
  else if (found.length === 0) output.info("No activity matches.");
  else output.data(formatTable(columns, found, output.paint));
  if (!context.json && next !== undefined)
    output.info(
      output.paintInfo(
        "dim",
        "There is more activity. Raise `--limit`, or export everything with `--format jsonl`.",
      ),
    );
  return exitCode.ok;
}

const columns: readonly TableColumn<ActivityView>[] = [
  { title: "WHEN", text: ({ at }) => formatTimestamp(Date.parse(at)) },
  { title: "BY", text: ({ by, principal }) => by ?? principal, flexible: true },
  { title: "ACTION", text: ({ kind }) => kind },
  { title: "CAPABILITY", text: ({ capability }) => capability, flexible: true },
  { title: "STEP", text: ({ step = "" }) => step, flexible: true },
  {
    title: "RESULT",
    text: formatResult,
    style: ({ outcome }) => (outcome === undefined ? undefined : pickOutcomeStyle(outcome)),
    flexible: true,
  },
  { title: "CALL", text: ({ call }) => call },
];

function formatResult({ outcome, code, finding, declined, to }: ActivityView): string {
  if (outcome !== undefined)
    return code === undefined || code === "done" || code === outcome ? outcome : `${outcome} (${code})`;
  if (finding !== undefined) return finding;
  if (declined !== undefined) return `without ${declined.join(", ")}`;
  return to === undefined ? "" : `to ${to}`;
}

function toFilterParams(filters: Readonly<Record<string, unknown>>): Record<string, string> {
  const names = ["plan", "call", "principal", "capability", "kind", "outcome"];
  return Object.fromEntries(
    names.flatMap((name) => (filters[name] === undefined ? [] : [[name, String(filters[name])]])),
  );
}
