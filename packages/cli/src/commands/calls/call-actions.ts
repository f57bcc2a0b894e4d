import type { CallSummaryView, CallView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { type CallerRole, resolveConnection } from "../../lib/api/connection.ts";
import { printCall, toCallExitCode } from "../../lib/calls/place-call.ts";
import { resolveCallId } from "../../lib/calls/resolve-id.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatCommands } from "../../lib/render/commands.ts";
import { formatTimeAgo } from "../../lib/terminal/format-time.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";

/** Shows the calls whose outcome is unknown and unresolved. */
export async function showUnknownCalls(context: Context, { limit }: { limit: number }): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const path = `/v1/calls?outcome=unknown&resolved=false&limit=${limit}`;
  const page = await client.request<{ calls: CallSummaryView[]; next?: string }>(path);
  if (context.json) output.json(page);
  else if (page.calls.length === 0) output.info("No call has an unknown outcome.");
  else {
    output.data(formatTable(buildColumns(Date.now()), page.calls, output.paint));
    const next = [
      ["paraph probe CALL", "probe the outside system again"],
      ["paraph resolve CALL happened --reason …", "record what you found"],
      ["paraph retry CALL", "request it again if it did not happen"],
    ] as const;
    output.info(`\n${formatCommands(next, output.paintInfo)}`);
  }
  return exitCode.ok;
}

function buildColumns(now: number): TableColumn<CallSummaryView>[] {
  return [
    { title: "CALL", text: ({ call }) => call },
    { title: "CAPABILITY", text: ({ capability }) => capability, flexible: true },
    { title: "REQUESTER", text: ({ principal }) => principal, flexible: true },
    {
      title: "WHEN",
      text: ({ closedAt, createdAt }) => formatTimeAgo(Date.parse(closedAt ?? createdAt), now),
    },
  ];
}

export async function requestWithdrawal(
  context: Context,
  named: string,
  { reason }: { readonly reason?: string },
): Promise<ExitCode> {
  const call = await postToCall<CallView>(context, "agent", named, "withdrawal", {
    ...(reason !== undefined && { reason }),
  });
  printResult(context, call);
  return exitCode.ok;
}

export async function resolveCall(
  context: Context,
  named: string,
  finding: string,
  { reason }: { readonly reason: string },
): Promise<ExitCode> {
  const call = await postToCall<CallView>(context, "person", named, "resolution", { finding, reason });
  printResult(context, call);
  return exitCode.ok;
}

/** Probes the outside system. The exit code is `unknown` if the outside system cannot tell either. */
export async function probe(context: Context, named: string): Promise<ExitCode> {
  const answer = await postToCall<{ found: string; call: CallView }>(context, "person", named, "probe", {});
  if (context.json) context.output.json(answer);
  else
    context.output.info(
      answer.found === "unsure"
        ? "The outside system cannot tell. Find out another way, then run `paraph resolve`."
        : `The outside system reports: ${answer.found}. The result is recorded.`,
    );
  return answer.found === "unsure" ? exitCode.unknown : exitCode.ok;
}

export async function retry(context: Context, named: string): Promise<ExitCode> {
  const call = await postToCall<CallView>(context, "person", named, "retry", {});
  printResult(context, call);
  return toCallExitCode(call);
}

async function postToCall<T>(
  context: Context,
  speaker: CallerRole,
  named: string,
  verb: string,
  body: object,
): Promise<T> {
  const client = createApiClient(await resolveConnection(context, speaker), context.signal);
  const id = await resolveCallId(client, named);
  return client.request<T>(`/v1/calls/${encodeURIComponent(id)}/${verb}`, { method: "POST", body });
}

function printResult(context: Context, call: CallView): void {
  if (context.json) context.output.json(call);
  else printCall(context, call);
}
