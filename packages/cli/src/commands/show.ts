import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import { type Client, clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { awaited } from "../follow.ts";
import { callNamed } from "../last.ts";
import type { Paint } from "../output.ts";
import { findOut, foundOut, refusalText } from "../render/call.ts";
import { changeLine } from "../render/changes.ts";
import { eventsFrom } from "../render/cloud-events.ts";
import { commands } from "../render/commands.ts";
import { fields } from "../render/fields.ts";
import { outcomeStyle } from "../render/outcome.ts";
import { previewTable, stepsTable } from "../render/plan.ts";
import { timeline } from "../render/timeline.ts";
import type { CallView, CloudEventView, PlanView } from "../views.ts";

/** The story of one call, as far as it has come. */
export async function show(context: Context, named: string): Promise<ExitCode> {
  const { output } = context;
  const client = clientFor(await connection(context, "reader"), context.signal);
  const id = await callNamed(client, named);
  const [call, events] = await Promise.all([look(client, id), eventsOf(client, id)]);
  const steps = call.links?.plan ? await stepsOf(client, id) : undefined;
  if (context.json) output.json({ ...call, ...(steps && { steps }), events });
  else {
    const parts = [
      about(call, output.paint),
      ...(steps ? [(call.waiting?.approval ? previewTable : stepsTable)(steps, output.paint)] : []),
      timeline(eventsFrom(events), output.paint),
    ];
    output.data(parts.join("\n\n"));
    output.say(`\n${next(call, output.paintTalk)}`);
  }
  return exitCode.ok;
}

const path = (id: string) => `/v1/calls/${encodeURIComponent(id)}`;
const look = (client: Client, id: string) => client.ask<CallView>(path(id));
const stepsOf = async (client: Client, id: string) =>
  (await client.ask<PlanView>(`/v1/plans/${encodeURIComponent(id)}`)).steps;
const eventsOf = async (client: Client, id: string) =>
  (await client.ask<{ events: CloudEventView[] }>(`${path(id)}/events`)).events;

function about(call: CallView, paint: Paint): string {
  const { principal, outcome, preview } = call;
  const stands = outcome ? outcome.kind : awaited(call);
  const shown = (value: unknown) =>
    typeof value === "string" ? escapeInvisible(value) : escapeInvisibleJson(value);
  const head = `${paint("bold", escapeInvisible(call.capability))}  ${paint(outcomeStyle(outcome?.kind ?? "open"), stands)}`;
  return `${head}\n\n${fields(
    [
      ["call", call.call],
      [
        "asked by",
        `${escapeInvisible(principal.id)} (${escapeInvisible(principal.kind)}${principal.owner === undefined ? "" : ` of ${escapeInvisible(principal.owner)}`})`,
      ],
      call.performer && ["performed by", "the agent itself, which reports what came of it"],
      call.purpose && ["it says (unchecked)", escapeInvisible(call.purpose.text)],
      call.session.session === undefined ? undefined : ["session", escapeInvisible(call.session.session)],
      call.parent && ["step of", `${call.parent.call}, as ${escapeInvisible(call.parent.step)}`],
      // A plan's are told by its steps.
      call.input === undefined || preview?.steps ? undefined : ["input", jsonText(call.input)],
      preview && preview.changes.length > 0 && !preview.steps
        ? ["changes", preview.changes.map(changeLine).join("\n")]
        : undefined,
      call.output === undefined || preview?.steps ? undefined : ["output", jsonText(call.output)],
      call.undo && ["way back", `${escapeInvisible(call.undo.capability)}, \`paraph undo ${call.call}\``],
      call.error === undefined ? undefined : ["error", shown(call.error)],
      call.refusal && ["refused", refusalText(call.refusal)],
      call.reason === undefined ? undefined : ["reason", shown(call.reason)],
      call.supersedes === undefined ? undefined : ["in place of", call.supersedes],
      call.editedBy === undefined ? undefined : ["edited by", escapeInvisible(call.editedBy)],
      call.successor === undefined ? undefined : ["its place took", call.successor],
      call.resolution && ["found out", foundOut(call.resolution)],
      call.masked.length > 0
        ? ["hidden", `${call.masked.map(escapeInvisible).join(", ")} (sensitive)`]
        : undefined,
    ],
    paint,
  )}`;
}

function next(call: CallView, paint: Paint): string {
  const asked = call.waiting?.approval;
  if (call.outcome) {
    const { successor } = call;
    return commands(
      [
        ...(successor === undefined ? [] : [[`paraph show ${successor}`, "what took its place"] as const]),
        ...findOut(call),
        ...(call.links?.undo ? [[`paraph undo ${call.call}`, "take back what it did"] as const] : []),
        [`paraph receipt ${call.call} -o receipt.json`, "the signed story"],
      ],
      paint,
    );
  }
  return asked
    ? commands([[`paraph approve ${asked.id}`, "look, then say yes or no"]], paint)
    : commands([[`paraph show ${call.call}`, "look again"]], paint);
}

/** On one line while that is short enough to read. */
function jsonText(value: unknown): string {
  const short = escapeInvisibleJson(value);
  return short.length <= 72 ? short : escapeInvisibleJson(value, 2);
}
