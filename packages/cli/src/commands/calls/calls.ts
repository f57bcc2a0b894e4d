import type { CallSummaryView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { listCalls } from "../../lib/calls/list-calls.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatCommands } from "../../lib/render/commands.ts";
import { pickOutcomeStyle } from "../../lib/render/outcome.ts";
import { formatDuration, formatTimeAgo } from "../../lib/terminal/format-time.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";

export interface CallsOptions {
  readonly open?: boolean;
  readonly stuck?: boolean;
  /** Whether to list only calls whose outcome is unknown and unresolved. */
  readonly unknown?: boolean;
  readonly capability?: string;
  readonly session?: string;
  readonly thread?: string;
  readonly correlation?: string;
  readonly steps?: boolean;
  readonly limit: number;
}

export async function showCalls(context: Context, options: CallsOptions): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const filter = {
    ...(options.open && { state: "open" }),
    ...(options.stuck && { stuck: "true" }),
    ...(options.unknown && { outcome: "unknown", resolved: "false" }),
    ...(options.capability !== undefined && { capability: options.capability }),
    ...(options.session !== undefined && { session: options.session }),
    ...(options.thread !== undefined && { thread: options.thread }),
    ...(options.correlation !== undefined && { correlation: options.correlation }),
    ...(!options.steps && !options.stuck && !options.unknown && { steps: "false" }),
  };
  const page = await listCalls<CallSummaryView>(client, filter, options.limit);
  if (context.json) output.json(page);
  else if (page.calls.length === 0) output.info(explainNoCalls(options));
  else output.data(formatTable(buildColumns(Date.now()), groupByPlan(page.calls), output.paint));
  const next = [...(options.stuck ? stuckCommands : []), ...(options.unknown ? unknownCommands : [])];
  if (!context.json && next.length > 0 && page.calls.length > 0)
    output.info(`\n${formatCommands(next, output.paintInfo)}`);
  if (!context.json && page.next !== undefined)
    output.info(output.paintInfo("dim", "There are older calls. Raise `--limit` to see them."));
  return exitCode.ok;
}

function explainNoCalls({ open, stuck, unknown, ...named }: CallsOptions): string {
  const names = [named.capability, named.session, named.thread, named.correlation];
  const isNamed = names.some((name) => name !== undefined);
  const filters = [open, stuck, unknown, isNamed].filter(Boolean);
  if (filters.length === 0) return "There are no calls yet. Run `paraph call CAPABILITY` to make one.";
  if (filters.length > 1 || isNamed) return "No call matches.";
  if (stuck) return "No call is stuck.";
  return unknown ? "No call has an unknown outcome." : "No call is open.";
}

const stuckCommands = [["paraph retry CALL", "resume a call after you fix the cause"]] as const;
const unknownCommands = [
  ["paraph probe CALL", "probe the external system again"],
  ["paraph resolve CALL happened --reason …", "record what you found"],
  ["paraph retry CALL", "request it again if it did not happen"],
] as const;

function buildColumns(now: number): TableColumn<CallSummaryView>[] {
  return [
    { title: "CALL", text: ({ call }) => call },
    { title: "CAPABILITY", text: formatName, flexible: true },
    { title: "WHAT", text: ({ headline }) => headline, flexible: true },
    { title: "REQUESTER", text: ({ principal }) => principal, flexible: true },
    {
      title: "STATUS",
      text: formatStatus,
      style: ({ outcome }) => pickOutcomeStyle(outcome?.kind ?? "open"),
    },
    { title: "DURATION", text: formatElapsed },
    { title: "WHEN", text: ({ createdAt }) => formatTimeAgo(Date.parse(createdAt), now) },
  ];
}

/** Puts steps below their parent call, in the order in which the steps were requested. */
function groupByPlan(calls: readonly CallSummaryView[]): readonly CallSummaryView[] {
  const listed = new Set(calls.map(({ call }) => call));
  const steps = Map.groupBy(calls, ({ parent }) =>
    parent && listed.has(parent.call) ? parent.call : undefined,
  );
  const below = (call: CallSummaryView): readonly CallSummaryView[] => [
    call,
    ...(steps.get(call.call) ?? []).toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).flatMap(below),
  ];
  return (steps.get(undefined) ?? []).flatMap(below);
}

function formatName({ capability, parent }: CallSummaryView): string {
  return parent ? `↳ ${parent.step}: ${capability}` : capability;
}

function formatStatus(call: CallSummaryView): string {
  const { undoneBy, undoOutcome } = call;
  if (undoneBy === undefined) return formatOutcome(call);
  const undo = undoOutcome === "succeeded" ? "undone" : `undo ${undoOutcome ?? "open"}`;
  return `${formatOutcome(call)}, ${undo}`;
}

function formatOutcome({ outcome, state, stuck }: CallSummaryView): string {
  if (!outcome) return stuck === undefined ? state : `stuck (${stuck})`;
  return outcome.code === "done" || outcome.code === outcome.kind
    ? outcome.kind
    : `${outcome.kind} (${outcome.code})`;
}

function formatElapsed({ createdAt, closedAt }: CallSummaryView): string {
  return closedAt === undefined ? "" : formatDuration(Date.parse(closedAt) - Date.parse(createdAt));
}
