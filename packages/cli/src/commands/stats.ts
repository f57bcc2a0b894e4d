import { escapeInvisible } from "@paraph/core/escape-invisible";
import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { sinceTime } from "../since.ts";
import { type Column, table } from "../table.ts";
import { ago, moment, span } from "../times.ts";
import type { StatisticsView } from "../views.ts";

export interface StatsOptions {
  readonly capability?: string;
  readonly principal?: string;
  readonly since: string;
  readonly by: "capability" | "principal" | "both";
  readonly limit: number;
}

type Group = StatisticsView["statistics"][number];
type Failed = StatisticsView["errors"][number];

/** How calls ended: how often well, how fast, with how many retries, at what cost, and the last errors. */
export async function stats(context: Context, options: StatsOptions): Promise<ExitCode> {
  const { output } = context;
  const { capability, principal, by, limit } = options;
  const now = Date.now();
  const client = clientFor(await connection(context, "reader"), context.signal);
  const query = new URLSearchParams({
    by,
    limit: String(limit),
    since: sinceTime(options.since, now),
    ...(capability !== undefined && { capability }),
    ...(principal !== undefined && { principal }),
  });
  const found = await client.ask<StatisticsView>(`/v1/statistics?${query}`);
  if (context.json) {
    output.json(found);
    return exitCode.ok;
  }
  if (found.statistics.length === 0) output.say("No call has ended in that time.");
  else {
    output.say(output.paintTalk("dim", `since ${moment(Date.parse(found.since))}`));
    output.data(table(columnsBy(by), found.statistics, output.paint));
  }
  if (found.errors.length > 0) {
    output.say(`\nThe last that went wrong:`);
    for (const one of found.errors) output.say(`  ${errorLine(one, now)}`);
  }
  return exitCode.ok;
}

function columnsBy(by: StatsOptions["by"]): Column<Group>[] {
  return [
    ...(by === "principal"
      ? []
      : [{ title: "CAPABILITY", text: (one: Group) => one.capability ?? "", flexible: true }]),
    ...(by === "capability"
      ? []
      : [{ title: "PRINCIPAL", text: (one: Group) => one.principal ?? "", flexible: true }]),
    { title: "CALLS", text: ({ calls }) => String(calls), right: true },
    { title: "WELL", text: ({ successRate }) => rate(successRate), right: true },
    { title: "P50", text: ({ actingMs }) => (actingMs ? span(actingMs.p50) : ""), right: true },
    { title: "P95", text: ({ actingMs }) => (actingMs ? span(actingMs.p95) : ""), right: true },
    { title: "RETRIES", text: ({ retries }) => String(retries), right: true },
    { title: "SPENT", text: ({ spent }) => String(spent), right: true },
    { title: "TOKENS", text: ({ tokens }) => String(tokens.input + tokens.output), right: true },
  ];
}

/** 99.96 % is not 100 %. */
function rate(share: number | undefined): string {
  return share === undefined ? "" : `${Math.floor(share * 1_000) / 10} %`;
}

function errorLine({ at, capability, outcome, code, call }: Failed, now: number): string {
  return `${ago(Date.parse(at), now)}  ${escapeInvisible(capability)}  ${outcome} (${escapeInvisible(code)})  ${call}`;
}
