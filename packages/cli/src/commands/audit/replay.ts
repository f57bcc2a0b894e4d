import { type RecordedEvent, replaySteps } from "@paraph/core";
import type { CloudEventView, PlanView } from "../../lib/api/api-views.ts";
import { type ApiClient, createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { resolveCallId } from "../../lib/calls/resolve-id.ts";
import { CliError, usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { toCallEvents } from "../../lib/render/cloud-events.ts";
import { formatCommands } from "../../lib/render/commands.ts";
import { formatReplay, type ReplayStep } from "../../lib/render/replay.ts";

/**
 * Shows the history of a call from its events alone. The command rebuilds the rows after each event and shows how they
 * changed.
 */
export async function showReplay(context: Context, named: string | undefined): Promise<ExitCode> {
  const { output } = context;
  if (named === undefined)
    throw usageError("Name the call to replay, or pass `--check` to compare all calls with their events.");
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const call = await resolveCallId(client, named);
  const steps = mergeByTime(await replayCallTree(client, call, 0));
  if (steps.length === 0)
    throw new CliError(
      "story-unreadable",
      "The call cannot be replayed, because its events do not start with `accepted`. Run `paraph replay --check` to compare all calls with their events.",
    );
  if (context.json) for (const step of steps) output.json(toJsonLine(step));
  else {
    output.data(formatReplay(steps, output.paint));
    output.info(
      `\n${formatCommands([[`paraph replay --check ${call}`, "compare its rows with its events"]], output.paintInfo)}`,
    );
  }
  return exitCode.ok;
}

/** Replays a call and all calls that it made. */
async function replayCallTree(
  client: ApiClient,
  call: string,
  depth: number,
  name?: string,
): Promise<ReplayStep[][]> {
  const events = await fetchEvents(client, call);
  const rebuilt = replaySteps(events);
  const own = rebuilt.map((after, index) => ({
    call,
    depth,
    event: events[index]!,
    before: rebuilt[index - 1],
    after,
    ...(name !== undefined && { name }),
  }));
  const stories: ReplayStep[][] = [own];
  for (const made of await listChildCalls(client, call, events))
    stories.push(...(await replayCallTree(client, made.call, depth + 1, made.step)));
  return stories;
}

/**
 * Lists the calls that a composite has made. For a plan, lists all calls. For any other composite, lists only the
 * closed calls.
 */
async function listChildCalls(
  client: ApiClient,
  call: string,
  events: readonly RecordedEvent[],
): Promise<{ readonly call: string; readonly step: string }[]> {
  if (!events.some(({ kind }) => kind === "began")) return [];
  if (events[0]?.data.capability === "plan.apply") {
    const { steps } = await client.request<PlanView>(`/v1/plans/${encodeURIComponent(call)}`);
    return steps.flatMap(({ call: made, step }) => (made === undefined ? [] : [{ call: made, step }]));
  }
  return events
    .filter(({ kind }) => kind === "stepped")
    .map(({ data }) => ({ call: String(data.call), step: String(data.step) }));
}

/**
 * Merges the events of several calls by time. The events of one call keep their order, even if the clocks of several
 * processes differ.
 */
function mergeByTime(stories: readonly ReplayStep[][]): ReplayStep[] {
  const waiting = stories.map((story) => [...story]);
  const told: ReplayStep[] = [];
  for (;;) {
    const heads = waiting.filter((story) => story.length > 0);
    if (heads.length === 0) return told;
    told.push(heads.reduce((first, other) => (isEarlier(other[0]!, first[0]!) ? other : first)).shift()!);
  }
}

/**
 * Whether one event comes before another. If their times are equal, a composite begins before its steps and ends after
 * them.
 */
function isEarlier(a: ReplayStep, b: ReplayStep): boolean {
  if (a.event.at !== b.event.at) return a.event.at < b.event.at;
  if (isEnd(a) !== isEnd(b)) return isEnd(b);
  return isEnd(a) ? a.depth > b.depth : a.depth < b.depth;
}

function isEnd({ event }: ReplayStep): boolean {
  return event.kind === "stepped" || event.kind === "closed";
}

async function fetchEvents(client: ApiClient, call: string): Promise<RecordedEvent[]> {
  const path = `/v1/calls/${encodeURIComponent(call)}/events`;
  return toCallEvents((await client.request<{ events: CloudEventView[] }>(path)).events);
}

/** Returns one object per event. The object contains the event, and the rows of the event's call after that event. */
function toJsonLine({ call, name, event, after }: ReplayStep) {
  return { call, ...(name !== undefined && { step: name }), ...event, rows: after };
}
