import { setTimeout } from "node:timers/promises";
import type { LabEngine } from "../../lab/lab.ts";
import { startChild } from "../lib/child.ts";
import { concludeBenchmark } from "../lib/conclude.ts";
import { measureInFolder } from "../lib/measure-in-folder.ts";
import type { BenchOptions } from "../lib/options.ts";
import type { BenchProgress } from "../lib/progress.ts";
import { startServers } from "../lib/servers.ts";
import { computeLatency, computeMedian } from "../lib/stats.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets, getRatioLeeway } from "../lib/target.ts";
import type { TrackStart } from "../lib/with-folder.ts";
import { type BurstAnswer, Callers } from "./callers.ts";

const requests = 4_000;
const agents = 8;
const aloneMs = 2_000;

/** The maximum ratio of the quiet tenant's p50 during the burst to its p50 before it. */
const maxRatio = 2;

interface BurstRound {
  readonly burstMs: number;
  readonly alone: { readonly calls: number; readonly p50: number };
  readonly during: { readonly calls: number; readonly p50: number; readonly p95: number };
  readonly accepted: number;
  readonly refused: number;
  /** Responses that are neither an accepted call nor a 429 with `Retry-After`. */
  readonly others: readonly BurstAnswer[];
}

interface Measurement {
  readonly rounds: readonly BurstRound[];
  /** The median of the rounds. Each round compares two adjacent measurements. */
  readonly ratio: number;
  /** The accepted calls of the noisy tenant, and those of them that were closed exactly once. */
  readonly accepted: number;
  readonly closedOnce: number;
  /** The calls of the noisy tenant in the database. */
  readonly stored: number;
}

/**
 * Measures the calls of one tenant alone, and while another tenant sends 4,000 requests at once. Resolves with whether
 * every target was met.
 */
export async function burstBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const rounds = options.quick ? 1 : 5;
  const { measured, about } = await measureInFolder(
    options.quick ? 120 : 600,
    signal,
    (folder, progress, starting) => measure({ folder, engine: options.engine }, rounds, progress, starting),
  );
  const targets = evaluateTargets(measured, options.quick);
  return concludeBenchmark(options, about, {
    name: "burst",
    engine: options.engine,
    report: formatReport(measured, targets),
    covers: [
      "One API process and one worker; two tenants whose writes policy allows.",
      `${rounds} rounds: the quiet tenant makes one call after another, alone for ${aloneMs / 1_000} s, then while ${agents} agents of the noisy tenant send ${requests.toLocaleString("en")} requests over 500 connections.`,
      "Every call of the noisy tenant is compared with the database.",
    ],
    targets,
    measured,
  });
}

async function measure(
  { folder, engine }: { readonly folder: string; readonly engine: LabEngine },
  rounds: number,
  progress: BenchProgress,
  starting: TrackStart,
): Promise<Measurement> {
  progress.show("starting");
  const servers = await startServers(folder, engine, starting);
  const database = await servers.database("paraph", async (p) => {
    const addTenant = async (tenant: string, count: number) => {
      await p.addTenant(tenant);
      await p.addPrincipal({ tenant, id: "owner", kind: "person" });
      const keys: string[] = [];
      for (let n = 0; n < count; n += 1) {
        await p.addPrincipal({ tenant, id: `agent${n}`, kind: "agent", owner: "owner" });
        keys.push(await p.createKey(tenant, `agent${n}`));
      }
      return keys;
    };
    return { noisy: await addTenant("noisy", agents), quiet: await addTenant("quiet", 1) };
  });
  const paraph = (role: "api" | "worker") =>
    starting(startChild(new URL("./process.ts", import.meta.url), { ...database.env, ROLE: role }));
  await paraph("worker");
  const { url } = (await paraph("api")).ready as { url: string };
  const [noisy, quiet] = await Promise.all([starting(Callers.start()), starting(Callers.start())]);

  const runRound = async (size: number) => {
    const stop = quiet.sendSteadily({ url, key: database.provisioned.quiet[0]! });
    await setTimeout(aloneMs);
    const burst = await noisy.sendBurst({ url, keys: database.provisioned.noisy, requests: size });
    const { samples, errors } = await stop();
    if (errors.length > 0) throw new Error(`The quiet tenant got ${errors.length} errors: ${errors[0]}`);
    const alone = samples.filter(({ to }) => to <= burst.from).map(({ from, to }) => to - from);
    const during = samples
      .filter(({ from, to }) => to > burst.from && from < burst.to)
      .map(({ from, to }) => to - from);
    return { burst, alone: computeLatency(alone), during: computeLatency(during) };
  };
  // The first round lets V8 compile the code and PostgreSQL plan the queries.
  const accepted = (await runRound(requests / 10)).burst.answers.filter(isAccepted);
  const done: BurstRound[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress.show(`round ${round} of ${rounds}`);
    const { burst, alone, during } = await runRound(requests);
    const calls = burst.answers.filter(isAccepted);
    accepted.push(...calls);
    done.push({
      burstMs: burst.to - burst.from,
      alone: { calls: alone.count, p50: alone.p50 },
      during: { calls: during.count, p50: during.p50, p95: during.p95 },
      accepted: calls.length,
      refused: burst.answers.filter(isRefused).length,
      others: burst.answers.filter((answer) => !isAccepted(answer) && !isRefused(answer)).slice(0, 10),
    });
  }
  const rows = await database.query<{ call: string; closed: number }>(
    `select call.id as call, count(event.*) filter (where event.kind = 'closed')::int as closed
       from paraph.call left join paraph.event on event.tenant = call.tenant and event.call = call.id
      where call.tenant = 'noisy' group by call.id`,
  );
  const closed = new Map(rows.map(({ call, closed }) => [call, closed]));
  return {
    rounds: done,
    ratio: computeMedian(done.map(({ alone, during }) => during.p50 / alone.p50)),
    accepted: accepted.length,
    closedOnce: accepted.filter(({ call }) => closed.get(call ?? "") === 1).length,
    stored: rows.length,
  };
}

function isAccepted({ status, call }: BurstAnswer): boolean {
  return (status === 200 || status === 202) && call !== undefined;
}

function isRefused({ status, retryAfter }: BurstAnswer): boolean {
  return status === 429 && retryAfter >= 1;
}

function evaluateTargets(
  { rounds, ratio, accepted, closedOnce, stored }: Measurement,
  quick: boolean,
): BenchTarget[] {
  const aim = maxRatio * getRatioLeeway(quick);
  const others = rounds.reduce((sum, round) => sum + round.others.length, 0);
  return [
    {
      what: "p50 of the quiet tenant during the burst, of its p50 alone",
      aim: `< ${formatFigure(aim)} ×`,
      measured: `${formatFigure(ratio)} ×`,
      met: ratio < aim,
    },
    {
      what: "responses that are neither a call nor a 429 with Retry-After",
      aim: "0",
      measured: String(others),
      met: others === 0,
    },
    {
      what: "accepted calls that were closed exactly once",
      aim: `${accepted} of ${accepted}`,
      measured: `${closedOnce} of ${stored} stored`,
      met: closedOnce === accepted && stored === accepted,
    },
  ];
}

function formatReport({ rounds }: Measurement, targets: readonly BenchTarget[]): string {
  const rows = rounds.map(({ burstMs, alone, during, accepted, refused }) => [
    `${formatFigure(burstMs)} ms`,
    String(accepted),
    String(refused),
    `${formatFigure(alone.p50)} ms`,
    `${formatFigure(during.p50)} ms`,
    `${formatFigure(during.p95)} ms`,
  ]);
  const head = ["burst", "accepted", "refused", "p50 alone", "p50 during", "p95 during"];
  return `${alignTable(head, rows)}\n\n${formatTargets("Burst", targets)}`;
}
