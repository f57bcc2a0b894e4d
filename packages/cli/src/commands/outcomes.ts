import { clientFor } from "../client.ts";
import { connection, type Speaker } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { callNamed } from "../last.ts";
import { exitCodeFor, tellCall } from "../place-call.ts";
import { commands } from "../render/commands.ts";
import { type Column, table } from "../table.ts";
import { ago } from "../times.ts";
import type { CallSummaryView, CallView } from "../views.ts";

/** Calls whose effect may or may not have happened, and nobody has found out. */
export async function unknowns(context: Context, { limit }: { limit: number }): Promise<ExitCode> {
  const { output } = context;
  const client = clientFor(await connection(context, "reader"), context.signal);
  const path = `/v1/calls?outcome=unknown&resolved=false&limit=${limit}`;
  const page = await client.ask<{ calls: CallSummaryView[]; next?: string }>(path);
  if (context.json) output.json(page);
  else if (page.calls.length === 0) output.say("Every outcome is known.");
  else {
    output.data(table(columns(Date.now()), page.calls, output.paint));
    const next = [
      ["paraph probe CALL", "ask the outside system again"],
      ["paraph resolve CALL happened --reason …", "say what you found"],
      ["paraph retry CALL", "once it is found not to have happened"],
    ] as const;
    output.say(`\n${commands(next, output.paintTalk)}`);
  }
  return exitCode.ok;
}

function columns(now: number): Column<CallSummaryView>[] {
  return [
    { title: "CALL", text: ({ call }) => call },
    { title: "CAPABILITY", text: ({ capability }) => capability, flexible: true },
    { title: "BY", text: ({ principal }) => principal, flexible: true },
    { title: "WHEN", text: ({ closedAt, createdAt }) => ago(Date.parse(closedAt ?? createdAt), now) },
  ];
}

export async function withdraw(
  context: Context,
  named: string,
  { reason }: { readonly reason?: string },
): Promise<ExitCode> {
  const call = await about<CallView>(context, "agent", named, "withdrawal", {
    ...(reason !== undefined && { reason }),
  });
  tell(context, call);
  return exitCode.ok;
}

export async function resolve(
  context: Context,
  named: string,
  finding: string,
  { reason }: { readonly reason: string },
): Promise<ExitCode> {
  const call = await about<CallView>(context, "person", named, "resolution", { finding, reason });
  tell(context, call);
  return exitCode.ok;
}

/** Ends as unknown where the outside system cannot tell either. */
export async function probe(context: Context, named: string): Promise<ExitCode> {
  const answer = await about<{ found: string; call: CallView }>(context, "person", named, "probe", {});
  if (context.json) context.output.json(answer);
  else
    context.output.say(
      answer.found === "unsure"
        ? "It cannot tell either: find out in another way, then `paraph resolve`."
        : `It says: ${answer.found}. That is on record now.`,
    );
  return answer.found === "unsure" ? exitCode.unknown : exitCode.ok;
}

export async function retry(context: Context, named: string): Promise<ExitCode> {
  const call = await about<CallView>(context, "person", named, "retry", {});
  tell(context, call);
  return exitCodeFor(call);
}

async function about<T>(
  context: Context,
  speaker: Speaker,
  named: string,
  verb: string,
  body: object,
): Promise<T> {
  const client = clientFor(await connection(context, speaker), context.signal);
  const id = await callNamed(client, named);
  return client.ask<T>(`/v1/calls/${encodeURIComponent(id)}/${verb}`, { method: "POST", body });
}

function tell(context: Context, call: CallView): void {
  if (context.json) context.output.json(call);
  else tellCall(context, call);
}
