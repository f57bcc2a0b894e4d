import { launchBrowser } from "../../test/support/web/browser.ts";
import { buildConsole } from "../../test/support/web/built-console.ts";
import { requestApprovals } from "../approvals/approval-requests.ts";
import { type ApprovalsCluster, agentIds, approvers, startApprovalsCluster } from "../approvals/cluster.ts";
import { urgentCapability } from "../approvals/config.ts";
import { createWaitingApprovals } from "../approvals/waiting-approvals.ts";
import { concludeBenchmark } from "../lib/conclude.ts";
import { measureInFolder } from "../lib/measure-in-folder.ts";
import type { BenchOptions } from "../lib/options.ts";
import type { BenchProgress } from "../lib/progress.ts";
import { computeLatency, type Latency } from "../lib/stats.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets, judgeInFullRun } from "../lib/target.ts";
import type { TrackStart } from "../lib/with-folder.ts";
import { copyCall } from "../size/copy-call.ts";
import { type ConsoleSite, listCallRequests, measureFirstLoad, measureUpdates } from "./page-watch.ts";

interface ConsoleWorkload {
  readonly waiting: number;
  readonly calls: number;
  readonly loads: number;
  readonly updates: number;
  readonly reads: number;
}

const fullWorkload: ConsoleWorkload = {
  waiting: 20_000,
  calls: 1_000_000,
  loads: 20,
  updates: 60,
  reads: 100,
};
const quickWorkload: ConsoleWorkload = { waiting: 300, calls: 2_000, loads: 2, updates: 3, reads: 5 };

/** The figures of the inbox, with few waiting requests and with many. */
interface InboxFigures {
  readonly usable: Latency;
  readonly update: Latency;
  readonly maxBytes: number;
}

interface ConsoleMeasurement {
  readonly few: InboxFigures;
  readonly many: InboxFigures;
  /** The response times of the requests that the list of calls sends. */
  readonly lists: Readonly<Record<string, Latency>>;
}

/** The addresses of the list of calls: without a filter, and with each filter that the screen offers. */
const listAddresses = [
  "",
  "?state=open",
  "?outcome=succeeded",
  "?outcome=denied",
  "?outcome=unknown",
  "?capability=bench.urgent",
  "?principal=agent1",
  "?q=agent",
  "?q=nothing+has+this+text",
  `?since=${new Date(Date.now() - 24 * 3_600_000).toISOString()}`,
].map((search) => `/console/calls${search}`);

/** Measures the console in a browser: first load, updates and lists, with 20,000 waiting requests and a million calls. */
export async function consoleBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  buildConsole();
  const workload = options.quick ? quickWorkload : fullWorkload;
  const { measured, about } = await measureInFolder(
    options.quick ? 240 : 3_600,
    signal,
    (folder, progress, starting) => measure(folder, options, workload, progress, starting),
  );
  const targets = evaluateTargets(measured, workload, options.quick);
  const waiting = workload.waiting.toLocaleString("en");
  return concludeBenchmark(options, about, {
    name: "console",
    engine: options.engine,
    report: formatReport(measured, waiting, targets),
    covers: [
      `Two API processes on loopback, one with few waiting requests and one with ${waiting}, in turn; headless Chromium, 1440 × 900.`,
      "First load: from the navigation, with an empty cache, until the first request is in the list.",
      "Update: from the moment before an agent sends a request until the open inbox counts it. It includes the request itself.",
      `Lists: every request for calls that the screen sends for ${listAddresses.length} filters, first and second page, over HTTP, beside ${workload.calls.toLocaleString("en")} closed calls.`,
    ],
    targets,
    measured,
  });
}

async function measure(
  folder: string,
  { engine }: BenchOptions,
  workload: ConsoleWorkload,
  progress: BenchProgress,
  starting: TrackStart,
): Promise<ConsoleMeasurement> {
  progress.show("starting");
  const cluster = await startApprovalsCluster(folder, engine, starting);
  const launched = await launchBrowser();
  await starting(Promise.resolve({ stop: () => launched.close() }));
  progress.show(`having ${workload.waiting.toLocaleString("en")} approvals wait`);
  await createWaitingApprovals(cluster, { rounds: workload.waiting, messages: 0 });
  const calm = { ...cluster, ...cluster.calm };
  const sides = [];
  for (const [name, side] of [["few", calm] as const, ["many", cluster] as const]) {
    // Both lists begin with urgent requests, so that a page shows a list from its start.
    for (let n = 0; n < 3; n += 1) await requestUrgent(side, n);
    const site: ConsoleSite = { url: side.apiUrl, cookie: await side.login(approvers[0]) };
    sides.push({ name, side, site, loads: [] as number[], bytes: [] as number[], updates: [] as number[] });
  }
  progress.show("loading the inbox");
  for (let round = -1; round < workload.loads; round += 1) {
    for (const { site, loads, bytes } of sides) {
      const load = await measureFirstLoad(launched, site);
      // The first round warms the servers.
      if (round < 0) continue;
      loads.push(load.usableMs);
      bytes.push(load.bytes);
    }
  }
  // Parts, so that a change of the machine affects both sides.
  const parts = 3;
  let asked = 3;
  for (let part = 0; part < parts; part += 1) {
    for (const { name, side, site, updates } of sides) {
      progress.show(`updating the inbox, ${name} waiting`);
      const times = await measureUpdates(launched, site, Math.ceil(workload.updates / parts), () =>
        requestUrgent(side, asked++),
      );
      updates.push(...times);
    }
  }
  const [few, many] = sides.map(({ loads, bytes, updates }) => ({
    usable: computeLatency(loads),
    update: computeLatency(updates),
    maxBytes: Math.max(...bytes),
  }));
  const lists = await measureLists(cluster, launched, sides[1]!.site, workload, progress);
  return { few: few!, many: many!, lists };
}

async function measureLists(
  cluster: ApprovalsCluster,
  browser: Awaited<ReturnType<typeof launchBrowser>>,
  site: ConsoleSite,
  { calls, reads }: ConsoleWorkload,
  progress: BenchProgress,
): Promise<Record<string, Latency>> {
  progress.show(`copying a call ${calls.toLocaleString("en")} times`);
  const template = await requestWrite(cluster);
  await copyCall(cluster.query, template, 1, calls);
  progress.show("reading lists");
  const read = async (path: string) => {
    const response = await fetch(`${site.url}${path}`, { headers: { cookie: site.cookie } });
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`);
    return (await response.json()) as { next?: string };
  };
  const paths: string[] = [];
  for (const path of await listCallRequests(browser, site, listAddresses)) {
    const { next } = await read(path);
    paths.push(path, ...(next === undefined ? [] : [`${path}&before=${encodeURIComponent(next)}`]));
  }
  const times = new Map(paths.map((path) => [path, [] as number[]]));
  for (let round = -2; round < reads; round += 1) {
    for (const [path, taken] of times) {
      const from = performance.now();
      await read(path);
      if (round >= 0) taken.push(performance.now() - from);
    }
  }
  return Object.fromEntries([...times].map(([path, taken]) => [path, computeLatency(taken)]));
}

/** Another agent asks each time, because many requests of one agent become one entry of the inbox. */
function requestUrgent(side: Parameters<typeof requestApprovals>[0], count: number): Promise<unknown> {
  return requestApprovals(side, [
    { agent: agentIds[count % agentIds.length]!, capability: urgentCapability },
  ]);
}

/** Returns the id of a closed call. */
async function requestWrite({ apiUrl, findKey }: ApprovalsCluster): Promise<string> {
  const response = await fetch(`${apiUrl}/v1/calls`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${findKey("agent1")}`,
      "content-type": "application/json",
      prefer: "wait=10",
    },
    body: JSON.stringify({ capability: "bench.write", input: { name: "n" } }),
  });
  const { call, state } = (await response.json()) as { call: string; state: string };
  if (state !== "closed") throw new Error(`The call to copy is \`${state}\`.`);
  return call;
}

function evaluateTargets(
  { few, many, lists }: ConsoleMeasurement,
  { waiting, calls }: ConsoleWorkload,
  quick: boolean,
): BenchTarget[] {
  const count = waiting.toLocaleString("en");
  const slowest = Math.max(...Object.values(lists).map(({ p95 }) => p95));
  const atMost = (what: string, limit: number, unit: string, measured: number): BenchTarget => ({
    what,
    aim: `≤ ${limit.toLocaleString("en")} ${unit}`,
    measured: `${formatFigure(measured)} ${unit}`,
    met: judgeInFullRun(quick, measured <= limit),
  });
  return [
    atMost("first load of the inbox, compressed", 250, "KB", few.maxBytes / 1_000),
    atMost("usable after a first load, p95", 1_000, "ms", few.usable.p95),
    atMost(`the same with ${count} waiting`, 1_000, "ms", many.usable.p95),
    atMost("update visible, p95", 300, "ms", few.update.p95),
    atMost(`the same with ${count} waiting`, 300, "ms", many.update.p95),
    atMost(`slowest list at ${calls.toLocaleString("en")} calls, p95`, 100, "ms", slowest),
  ];
}

function formatReport(
  { few, many, lists }: ConsoleMeasurement,
  waiting: string,
  targets: readonly BenchTarget[],
): string {
  const show = ({ p50, p95 }: Latency) => `${formatFigure(p50)} (${formatFigure(p95)})`;
  const inbox = alignTable(
    ["p50 (p95) in ms", "few waiting", `${waiting} waiting`],
    [
      ["usable", show(few.usable), show(many.usable)],
      ["update", show(few.update), show(many.update)],
    ],
  );
  const rows = Object.entries(lists).map(([path, latency]) => [path, show(latency)]);
  return `${inbox}\n\n${alignTable(["list", "p50 (p95) in ms"], rows)}\n\n${formatTargets("Console", targets)}`;
}
