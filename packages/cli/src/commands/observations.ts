import { setTimeout as sleep } from "node:timers/promises";
import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import { interrupted } from "../cli-error.ts";
import { type Client, clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { sinceTime } from "../since.ts";
import { type Column, table } from "../table.ts";
import { ago, moment, until } from "../times.ts";
import type { ObservationView, PerceptionView } from "../views.ts";

export interface ObservationsOptions {
  readonly adapter?: string;
  readonly kind?: string;
  readonly subject?: string;
  readonly since?: string;
  readonly after?: number;
  readonly limit: number;
  readonly follow?: boolean;
  readonly looks?: boolean;
}

/** What adapters perceived: the last of it as a table, or each as it comes. */
export async function observations(context: Context, options: ObservationsOptions): Promise<ExitCode> {
  const client = clientFor(await connection(context, "reader"), context.signal);
  if (options.looks) return looks(context, client);
  const { adapter, kind, subject, after, since, limit } = options;
  const filter = {
    ...(adapter !== undefined && { adapter }),
    ...(kind !== undefined && { kind }),
    ...(subject !== undefined && { subject }),
    ...(after !== undefined && { after: String(after) }),
  };
  if (options.follow) return follow(context, client, new URLSearchParams(filter));

  const query = new URLSearchParams({
    ...filter,
    limit: String(limit),
    ...(since !== undefined && { since: sinceTime(since, Date.now()) }),
  });
  const page = await client.ask<{ observations: ObservationView[]; next: number }>(
    `/v1/observations?${query}`,
  );
  const { output } = context;
  if (context.json) output.json(page);
  else if (page.observations.length === 0) output.say("Nothing was observed that fits.");
  else output.data(table(columns, page.observations, output.paint));
  return exitCode.ok;
}

/** One line each, until it is interrupted. A server that is replaced ends the stream: it goes on where it was. */
async function follow(
  { json, output, signal }: Context,
  client: Client,
  query: URLSearchParams,
): Promise<ExitCode> {
  for (let last: string | undefined; ; ) {
    const path = `/v1/observations/events?${query}`;
    for await (const { id, data } of client.events(path, { ...(last !== undefined && { after: last }) })) {
      last = id ?? last;
      const { time, data: seen } = data as { time: string; data: ObservationView };
      if (json) output.data(escapeInvisibleJson({ ...seen, seenAt: time }));
      else output.data(line({ ...seen, seenAt: time }));
    }
    await sleep(1_000, undefined, { signal }).catch(() => {
      throw interrupted();
    });
  }
}

function line({ seenAt, adapter, kind, subject }: ObservationView): string {
  return `${moment(Date.parse(seenAt))}  ${escapeInvisible(adapter)}  ${escapeInvisible(kind)}  ${escapeInvisible(subject)}`;
}

async function looks({ json, output }: Context, client: Client): Promise<ExitCode> {
  const page = await client.ask<{ perceptions: PerceptionView[] }>("/v1/perceptions");
  const now = Date.now();
  if (json) output.json(page);
  else if (page.perceptions.length === 0)
    output.say("No adapter is asked what it perceives: see `observe` in docs/observations.md.");
  else
    output.data(
      table(
        [
          { title: "ADAPTER", text: ({ adapter }) => adapter },
          { title: "LOOKED", text: ({ lookedAt }) => (lookedAt ? ago(Date.parse(lookedAt), now) : "never") },
          { title: "LOOKS", text: ({ nextAt }) => until(Date.parse(nextAt), now).replace("expired", "now") },
          { title: "FAILED", text: ({ failures }) => String(failures), right: true },
          { title: "WHY", text: ({ code = "" }) => code, style: () => "red" },
        ] satisfies Column<PerceptionView>[],
        page.perceptions,
        output.paint,
      ),
    );
  return page.perceptions.some(({ failures }) => failures > 0) ? exitCode.failed : exitCode.ok;
}

const columns: readonly Column<ObservationView>[] = [
  { title: "NUMBER", text: ({ seq }) => String(seq), right: true },
  { title: "SEEN", text: ({ seenAt }) => moment(Date.parse(seenAt)) },
  { title: "ADAPTER", text: ({ adapter }) => adapter },
  { title: "KIND", text: ({ kind }) => kind },
  { title: "OF WHAT", text: ({ subject }) => subject, flexible: true },
];
