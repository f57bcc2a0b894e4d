import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import type { CallView, CloudEventView, PlanView } from "../../lib/api/api-views.ts";
import { type ApiClient, createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { describeWaiting } from "../../lib/calls/follow-call.ts";
import { resolveCallId } from "../../lib/calls/resolve-id.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import {
  explainUncertainEnd,
  formatErasure,
  formatRefusal,
  formatResolution,
  suggestResolutionCommands,
} from "../../lib/render/call.ts";
import { formatChangeLine } from "../../lib/render/changes.ts";
import { toCallEvents } from "../../lib/render/cloud-events.ts";
import { formatCommands } from "../../lib/render/commands.ts";
import { formatFields } from "../../lib/render/fields.ts";
import { pickOutcomeStyle } from "../../lib/render/outcome.ts";
import { formatPreviewTable, formatStepsTable } from "../../lib/render/plan.ts";
import { formatTimeline } from "../../lib/render/timeline.ts";
import type { Paint } from "../../lib/terminal/output.ts";

/** Shows one call with its timeline. */
export async function showCall(context: Context, named: string): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const id = await resolveCallId(client, named);
  const [call, events] = await Promise.all([fetchCall(client, id), fetchEvents(client, id)]);
  const steps = call.links?.plan ? await fetchSteps(client, id) : undefined;
  if (context.json) output.json({ ...call, ...(steps && { steps }), events });
  else {
    const parts = [
      formatCall(call, output.paint),
      ...(steps
        ? [(call.waiting?.approval ? formatPreviewTable : formatStepsTable)(steps, output.paint)]
        : []),
      formatTimeline(toCallEvents(events), output.paint),
    ];
    output.data(parts.join("\n\n"));
    output.info(`\n${formatNextCommands(call, output.paintInfo)}`);
  }
  return exitCode.ok;
}

const toCallPath = (id: string) => `/v1/calls/${encodeURIComponent(id)}`;
const fetchCall = (client: ApiClient, id: string) => client.request<CallView>(toCallPath(id));
const fetchSteps = async (client: ApiClient, id: string) =>
  (await client.request<PlanView>(`/v1/plans/${encodeURIComponent(id)}`)).steps;
const fetchEvents = async (client: ApiClient, id: string) =>
  (await client.request<{ events: CloudEventView[] }>(`${toCallPath(id)}/events`)).events;

function formatCall(call: CallView, paint: Paint): string {
  const { principal, outcome, preview } = call;
  const stands = outcome ? outcome.kind : describeWaiting(call);
  const shown = (value: unknown) =>
    typeof value === "string" ? escapeInvisible(value) : escapeInvisibleJson(value);
  const head = `${paint("bold", escapeInvisible(call.headline))}  ${paint(pickOutcomeStyle(outcome?.kind ?? "open"), stands)}`;
  return `${head}\n\n${formatFields(
    [
      ["call", call.call],
      ["capability", escapeInvisible(call.capability)],
      [
        "requester",
        `${escapeInvisible(principal.id)} (${escapeInvisible(principal.kind)}${principal.owner === undefined ? "" : ` of ${escapeInvisible(principal.owner)}`})`,
      ],
      call.performer && ["performed by", "the agent itself, which reports the result"],
      call.purpose && ["purpose (unchecked)", escapeInvisible(call.purpose.text)],
      call.compressedState && ["state (unchecked)", escapeInvisible(call.compressedState.text)],
      call.words && ["words", escapeInvisible(call.words.words)],
      call.session.session === undefined ? undefined : ["session", escapeInvisible(call.session.session)],
      call.parent && ["step of", `${call.parent.call}, as ${escapeInvisible(call.parent.step)}`],
      // Leaves out a plan's own input and changes, because the plan's steps show them.
      call.input === undefined || preview?.steps ? undefined : ["input", formatJson(call.input)],
      preview && preview.changes.length > 0 && !preview.steps
        ? ["changes", preview.changes.map(formatChangeLine).join("\n")]
        : undefined,
      call.output === undefined || preview?.steps ? undefined : ["output", formatJson(call.output)],
      call.undo && ["undo", `${escapeInvisible(call.undo.capability)}, \`paraph undo ${call.call}\``],
      call.error === undefined ? undefined : ["error", shown(call.error)],
      explainUncertainEnd(call) === undefined ? undefined : ["why", explainUncertainEnd(call)!],
      call.refusal && ["refused", formatRefusal(call.refusal)],
      call.reason === undefined ? undefined : ["reason", shown(call.reason)],
      call.supersedes === undefined ? undefined : ["replaces", call.supersedes],
      call.editedBy === undefined ? undefined : ["edited by", escapeInvisible(call.editedBy)],
      call.successor === undefined ? undefined : ["replaced by", call.successor],
      call.resolution && ["resolution", formatResolution(call.resolution)],
      call.erased && ["erased", formatErasure(call.erased)],
      call.masked.length > 0
        ? ["hidden", `${call.masked.map(escapeInvisible).join(", ")} (sensitive)`]
        : undefined,
    ],
    paint,
  )}`;
}

function formatNextCommands(call: CallView, paint: Paint): string {
  const asked = call.waiting?.approval;
  if (call.outcome) {
    const { successor } = call;
    return formatCommands(
      [
        ...(successor === undefined
          ? []
          : [[`paraph show ${successor}`, "show the call that replaces it"] as const]),
        ...suggestResolutionCommands(call),
        ...(call.links?.undo ? [[`paraph undo ${call.call}`, "undo its effect"] as const] : []),
        [`paraph receipt ${call.call} -o receipt.json`, "download the signed receipt"],
      ],
      paint,
    );
  }
  return asked
    ? formatCommands([[`paraph approve ${asked.id}`, "review, then approve or deny"]], paint)
    : formatCommands([[`paraph show ${call.call}`, "show it again"]], paint);
}

/** Formats a value as JSON. A short value takes one line. */
function formatJson(value: unknown): string {
  const short = escapeInvisibleJson(value);
  return short.length <= 72 ? short : escapeInvisibleJson(value, 2);
}
