import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { commands } from "../render/commands.ts";
import { outcomeStyle } from "../render/outcome.ts";
import { type Column, table } from "../table.ts";
import { ago, span } from "../times.ts";
import type { CallSummaryView } from "../views.ts";

export interface CallsOptions {
  readonly open?: boolean;
  readonly stuck?: boolean;
  readonly capability?: string;
  readonly steps?: boolean;
  readonly limit: number;
}

export async function calls(context: Context, options: CallsOptions): Promise<ExitCode> {
  const { output } = context;
  const client = clientFor(await connection(context, "reader"), context.signal);
  const query = new URLSearchParams({
    limit: String(options.limit),
    ...(options.open && { state: "open" }),
    ...(options.stuck && { stuck: "true" }),
    ...(options.capability !== undefined && { capability: options.capability }),
    ...(!options.steps && !options.stuck && { steps: "false" }),
  });
  const page = await client.ask<{ calls: CallSummaryView[]; next?: string }>(`/v1/calls?${query}`);
  if (context.json) output.json(page);
  else if (page.calls.length === 0 && options.stuck) output.say("No call is stuck.");
  else if (page.calls.length === 0) output.say("No calls yet: `paraph call CAPABILITY` makes one.");
  else output.data(table(columns(Date.now()), underTheirPlans(page.calls), output.paint));
  if (!context.json && options.stuck && page.calls.length > 0)
    output.say(
      `\n${commands([["paraph retry CALL", "let it go on, once the cause is fixed"]], output.paintTalk)}`,
    );
  if (!context.json && page.next !== undefined)
    output.say(output.paintTalk("dim", "There are older ones: raise `--limit`."));
  return exitCode.ok;
}

function columns(now: number): Column<CallSummaryView>[] {
  return [
    { title: "CALL", text: ({ call }) => call },
    { title: "CAPABILITY", text: named, flexible: true },
    { title: "BY", text: ({ principal }) => principal, flexible: true },
    { title: "STANDS", text: standing, style: ({ outcome }) => outcomeStyle(outcome?.kind ?? "open") },
    { title: "TOOK", text: took },
    { title: "WHEN", text: ({ createdAt }) => ago(Date.parse(createdAt), now) },
  ];
}

/** Steps below what they are steps of, in the order they were taken. */
function underTheirPlans(calls: readonly CallSummaryView[]): readonly CallSummaryView[] {
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

function named({ capability, parent }: CallSummaryView): string {
  return parent ? `↳ ${parent.step}: ${capability}` : capability;
}

function standing({ outcome, state, stuck }: CallSummaryView): string {
  if (!outcome) return stuck === undefined ? state : `stuck (${stuck})`;
  return outcome.code === "done" || outcome.code === outcome.kind
    ? outcome.kind
    : `${outcome.kind} (${outcome.code})`;
}

function took({ createdAt, closedAt }: CallSummaryView): string {
  return closedAt === undefined ? "" : span(Date.parse(closedAt) - Date.parse(createdAt));
}
