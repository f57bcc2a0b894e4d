import { setTimeout as sleep } from "node:timers/promises";
import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import type { ObservationView, PollStatusView } from "../../lib/api/api-views.ts";
import { type ApiClient, createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { interruptedError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatTimeAgo, formatTimestamp, formatTimeUntil } from "../../lib/terminal/format-time.ts";
import { parseSince } from "../../lib/terminal/parse-since.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";

export interface ObservationsOptions {
  readonly adapter?: string;
  readonly kind?: string;
  readonly subject?: string;
  readonly since?: string;
  readonly after?: number;
  readonly limit: number;
  readonly follow?: boolean;
  readonly polls?: boolean;
}

/** Shows the latest observations as a table, or follows them. */
export async function showObservations(context: Context, options: ObservationsOptions): Promise<ExitCode> {
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  if (options.polls) return showPolls(context, client);
  const { adapter, kind, subject, after, since, limit } = options;
  const filter = {
    ...(adapter !== undefined && { adapter }),
    ...(kind !== undefined && { kind }),
    ...(subject !== undefined && { subject }),
    ...(after !== undefined && { after: String(after) }),
  };
  if (options.follow) return followObservations(context, client, new URLSearchParams(filter));

  const query = new URLSearchParams({
    ...filter,
    limit: String(limit),
    ...(since !== undefined && { since: parseSince(since, Date.now()) }),
  });
  const page = await client.request<{ observations: ObservationView[]; next: number }>(
    `/v1/observations?${query}`,
  );
  const { output } = context;
  if (context.json) output.json(page);
  else if (page.observations.length === 0) output.info("No observations match.");
  else output.data(formatTable(columns, page.observations, output.paint));
  return exitCode.ok;
}

/**
 * Prints one line per observation until the user interrupts the command. If a restart of the server ends the stream,
 * the command resumes after the last observation.
 */
async function followObservations(
  { json, output, signal }: Context,
  client: ApiClient,
  query: URLSearchParams,
): Promise<ExitCode> {
  for (let last: string | undefined; ; ) {
    const path = `/v1/observations/events?${query}`;
    for await (const { id, data } of client.events(path, { ...(last !== undefined && { after: last }) })) {
      last = id ?? last;
      const { time, data: view } = data as { time: string; data: ObservationView };
      if (json) output.data(escapeInvisibleJson({ ...view, observedAt: time }));
      else output.data(formatObservation({ ...view, observedAt: time }));
    }
    await sleep(1_000, undefined, { signal }).catch(() => {
      throw interruptedError();
    });
  }
}

function formatObservation({ observedAt, adapter, kind, subject }: ObservationView): string {
  return `${formatTimestamp(Date.parse(observedAt))}  ${escapeInvisible(adapter)}  ${escapeInvisible(kind)}  ${escapeInvisible(subject)}`;
}

async function showPolls({ json, output }: Context, client: ApiClient): Promise<ExitCode> {
  const page = await client.request<{ polls: PollStatusView[] }>("/v1/polls");
  const now = Date.now();
  if (json) output.json(page);
  else if (page.polls.length === 0)
    output.info("No adapter is polled. To poll one, set `poll` as docs/guides/observations.md describes.");
  else
    output.data(
      formatTable(
        [
          { title: "ADAPTER", text: ({ adapter }) => adapter },
          {
            title: "LAST POLL",
            text: ({ polledAt }) => (polledAt ? formatTimeAgo(Date.parse(polledAt), now) : "never"),
          },
          {
            title: "NEXT POLL",
            text: ({ nextAt }) => formatTimeUntil(Date.parse(nextAt), now).replace("expired", "now"),
          },
          { title: "FAILURES", text: ({ failures }) => String(failures), right: true },
          { title: "REASON", text: ({ code = "" }) => code, style: () => "red" },
        ] satisfies TableColumn<PollStatusView>[],
        page.polls,
        output.paint,
      ),
    );
  return page.polls.some(({ failures }) => failures > 0) ? exitCode.failed : exitCode.ok;
}

const columns: readonly TableColumn<ObservationView>[] = [
  { title: "NUMBER", text: ({ seq }) => String(seq), right: true },
  { title: "SEEN", text: ({ observedAt }) => formatTimestamp(Date.parse(observedAt)) },
  { title: "ADAPTER", text: ({ adapter }) => adapter },
  { title: "KIND", text: ({ kind }) => kind },
  { title: "SUBJECT", text: ({ subject }) => subject, flexible: true },
];
