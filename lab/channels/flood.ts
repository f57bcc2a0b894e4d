import { setTimeout as sleep } from "node:timers/promises";
import { readUsage } from "../../bench/lib/usage.ts";
import { ScenarioRun, type StartedCall } from "../crash-points/scenario-run.ts";
import { createViolation, type Violation } from "../history/history-index.ts";
import type { LabEngine } from "../lab.ts";
import { LabClient } from "../lab-client.ts";
import { botIds, LabCluster } from "../lab-cluster.ts";
import { computePercentile } from "../report/percentile.ts";
import { copyRequest } from "./copy-request.ts";
import { type AcceptedMail, MailReceiver } from "./mail-receiver.ts";
import { createMailEnv, denyUntilClosed, waitUntilAtRest } from "./mail-script.ts";
import { addRecipients, getClockOffset, isPlanned, moveToNextMinute } from "./notices.ts";

const maxPerMinute = 30;
const maxPerRecipient = 20;
const minPlannedPerSecond = 20_000 / 60;
const maxLatencyMs = 2_000;

/** The figures of a flood and of a normal load, and the targets that were missed. */
export interface FloodResult {
  readonly figures: Readonly<Record<string, number | string>>;
  readonly violations: readonly Violation[];
}

/**
 * Measures the time between a question and its first mail at a normal load. Then 20,000 requests of four agents arrive at
 * once, while the channel may send 30 mails per minute.
 */
export async function runFlood(
  engine: LabEngine,
  { requests, flood }: { readonly requests: number; readonly flood: number },
  progress: (text: string) => void,
): Promise<FloodResult> {
  const mails = await MailReceiver.start(() => undefined);
  const cluster = await LabCluster.start({ engine });
  try {
    await addRecipients(cluster);
    const calm = await cluster.startProcess("api,worker", createMailEnv(mails));
    const latencies = await measureLatency(cluster, calm.ready.url, mails, requests, progress);
    await calm.end();
    await moveToNextMinute(cluster);
    progress(`${flood} requests at once`);
    const limited = createMailEnv(mails, { MAIL_PER_MINUTE: String(maxPerMinute) });
    const { child, ready } = await cluster.startProcess("api,worker", limited);
    const run = new ScenarioRun(new LabClient(cluster.keys, () => [ready.url]), "flood");
    const originals = await Promise.all(
      (["natural", "keyed", "probe", "none"] as const).map((kind) => run.begin(kind, `asked.${kind}`)),
    );
    await waitUntilAtRest(cluster);
    await moveToNextMinute(cluster);
    const before = mails.accepted.length;
    await copyRequest(cluster, originals, flood);
    const pids = { paraph: child.pid!, postgres: cluster.postgres.pid };
    const readCpu = (name: keyof typeof pids) => readUsage(pids[name]).cpuMs;
    const spent = { paraph: readCpu("paraph"), postgres: readCpu("postgres") };
    const started = performance.now();
    while (!(await isPlanned(cluster))) await sleep(250);
    const planningMs = performance.now() - started;
    const describeCpu = (name: keyof typeof pids) =>
      `${((readCpu(name) - spent[name]) / flood).toFixed(2)} ms`;
    const cpu = {
      "CPU of Paraph per planned request": describeCpu("paraph"),
      "CPU of PostgreSQL per planned request": describeCpu("postgres"),
    };
    // The limits hold within any minute, so the run watches the server for longer than that.
    await sleep(75_000);
    const received = mails.accepted.slice(before);
    const perRecipient = Map.groupBy(received, ({ to }) => to);
    const busiest = Math.max(0, ...[...perRecipient.values()].map(countWithinMinute));
    const figures = {
      "requests of the normal load": latencies.length,
      "question to first mail, p50": `${Math.round(computePercentile(latencies, 0.5))} ms`,
      "question to first mail, p95": `${Math.round(computePercentile(latencies, 0.95))} ms`,
      "requests of the flood": flood,
      "planned per second": Math.round((flood / planningMs) * 1_000),
      ...cpu,
      "mails of the flood": received.length,
      "most to one person within a minute": busiest,
      "most to the server within a minute": countWithinMinute(received),
    };
    return { figures, violations: findMissedTargets(figures, latencies, flood / planningMs) };
  } finally {
    await cluster.stop();
    await mails.stop();
  }
}

function findMissedTargets(
  figures: FloodResult["figures"],
  latencies: readonly number[],
  plannedPerMs: number,
): Violation[] {
  const missed = {
    "question to first mail, p95": computePercentile(latencies, 0.95) > maxLatencyMs,
    "planned per second": plannedPerMs * 1_000 < minPlannedPerSecond,
    "mails of the flood": figures["mails of the flood"] === 0,
    "most to one person within a minute":
      Number(figures["most to one person within a minute"]) > maxPerRecipient,
    "most to the server within a minute":
      Number(figures["most to the server within a minute"]) > maxPerMinute,
  };
  return Object.entries(missed)
    .filter(([, isMissed]) => isMissed)
    .map(([name]) => createViolation("target", "", `${name}: ${figures[name]}`));
}

/** Returns the largest number of mails within any minute. */
function countWithinMinute(mails: readonly AcceptedMail[]): number {
  const counts = mails.map(({ at }) => mails.filter((mail) => mail.at >= at && mail.at < at + 60_000).length);
  return Math.max(0, ...counts);
}

/** Measures the milliseconds from each question to its first mail. Agents ask different questions, so none is a flood. */
async function measureLatency(
  cluster: LabCluster,
  url: string,
  mails: MailReceiver,
  requests: number,
  progress: (text: string) => void,
): Promise<readonly number[]> {
  const client = new LabClient(cluster.keys, () => [url]);
  const run = new ScenarioRun(client, "calm");
  const kinds = ["natural", "keyed", "probe", "none"].flatMap((kind) =>
    botIds.map((as) => ({ as, capability: `asked.${kind}` })),
  );
  const latencies: number[] = [];
  while (latencies.length < requests) {
    progress(`${latencies.length}/${requests} requests`);
    await moveToNextMinute(cluster);
    // A process notices within a second that the clock moved, and stamps its events with the new time.
    await sleep(1_500);
    const calls: StartedCall[] = [];
    for (const { as, capability } of kinds) {
      const key = `calm-${latencies.length}-${as}-${capability}`;
      const { call = "" } = await client.call(key, capability, { name: key }, { as });
      calls.push({ key, capability, call });
      await sleep(50);
    }
    await waitUntilAtRest(cluster);
    latencies.push(...(await readLatencies(cluster, calls, mails.accepted)));
    await Promise.all(calls.map((call) => denyUntilClosed(run, call)));
    await waitUntilAtRest(cluster);
  }
  return latencies;
}

async function readLatencies(
  cluster: LabCluster,
  calls: readonly StartedCall[],
  accepted: readonly AcceptedMail[],
): Promise<readonly number[]> {
  const offset = getClockOffset(cluster);
  const arrivals = new Map(accepted.map(({ notice, at }) => [notice, at + offset]));
  const rows = await cluster.query<{ call: string; asked: number; notices: readonly string[] }>(
    `select n.call, paraph.millis(e.at)::float8 as asked, array_agg(n.id) as notices
     from paraph.notice n join paraph.event e on e.tenant = n.tenant and e.call = n.call and e.kind = 'asked'
     where n.kind = 'request' and n.call = any ($1) group by n.call, e.at`,
    [calls.map(({ call }) => call)],
  );
  return rows.map(({ asked, notices }) => {
    const times = notices.flatMap((notice) => arrivals.get(notice) ?? []);
    return Math.min(...times) - asked;
  });
}
