import type { LabEngine } from "../../lab/lab.ts";
import { startChild } from "../lib/child.ts";
import { concludeBenchmark } from "../lib/conclude.ts";
import { LoadGenerator, type LoadTarget } from "../lib/load.ts";
import { measureInFolder } from "../lib/measure-in-folder.ts";
import type { BenchOptions } from "../lib/options.ts";
import type { BenchProgress } from "../lib/progress.ts";
import { type Servers, startServers } from "../lib/servers.ts";
import { computeLatency, computeMedian } from "../lib/stats.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets, getRatioLeeway, judgeInFullRun } from "../lib/target.ts";
import type { TrackStart } from "../lib/with-folder.ts";

const tenant = "acme";
const [few, many] = [10, 1_000];
/**
 * The maximum ratio of the time with many capabilities to the time with few, for a page of the list and for an
 * admission.
 */
const maxRatio = 1.1;
const maxStartMs = 3_000;

const requestKinds = ["list", "read", "write"] as const;
type RequestKind = (typeof requestKinds)[number];

/** The p50 in milliseconds at one connection. */
type RequestTimes = Readonly<Record<RequestKind, number>>;

interface Measurement {
  readonly rounds: number;
  /** The time from starting the process until it is ready, and the part of it in which Paraph starts. */
  readonly start: { readonly few: StartDuration; readonly many: StartDuration };
  readonly few: RequestTimes;
  readonly many: RequestTimes;
  /** The median ratio of `many` to `few` over all rounds. Each round compares two adjacent measurements. */
  readonly ratio: RequestTimes;
}

interface StartDuration {
  readonly processMs: number;
  readonly paraphMs: number;
}

/**
 * Measures the cost of a thousand capabilities for a caller that uses one of them. Resolves with whether every target
 * was met.
 */
export async function capabilitiesBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const rounds = options.quick ? 3 : 9;
  const { measured, about } = await measureInFolder(
    options.quick ? 120 : 600,
    signal,
    (folder, progress, starting) => measure({ folder, engine: options.engine }, rounds, progress, starting),
  );
  const targets = evaluateTargets(measured, options.quick);
  const found = {
    name: "capabilities",
    engine: options.engine,
    report: formatReport(measured, targets),
    targets,
    measured,
    covers: [
      `Two API processes side by side, with ${few} and with ${many} capabilities, each with a schema of its own.`,
      `${rounds} rounds in turn at one connection: ${requestKinds.join(", ")}. The start of each process is measured once.`,
    ],
  };
  return concludeBenchmark(options, about, found);
}

async function measure(
  { folder, engine }: { readonly folder: string; readonly engine: LabEngine },
  rounds: number,
  progress: BenchProgress,
  starting: TrackStart,
): Promise<Measurement> {
  progress.show("starting");
  const servers = await startServers(folder, engine, starting);
  const [small, large] = [await startApi(servers, few, starting), await startApi(servers, many, starting)];
  const load = await starting(LoadGenerator.start());
  const times = async (targets: Readonly<Record<RequestKind, LoadTarget>>): Promise<RequestTimes> => {
    const taken: [RequestKind, number][] = [];
    for (const kind of requestKinds) {
      const until = { warmMs: 200, measureMs: 800 };
      const { latencies, errors, firstError } = await load.run({
        target: targets[kind],
        connections: 1,
        until,
      });
      if (errors > 0) throw new Error(`${kind}: ${errors} errors, the first: ${firstError}`);
      taken.push([kind, computeLatency(latencies).p50]);
    }
    return Object.fromEntries(taken) as RequestTimes;
  };
  await times(small.targets);
  await times(large.targets);
  const [ofFew, ofMany]: [RequestTimes[], RequestTimes[]] = [[], []];
  for (let round = 1; round <= rounds; round += 1) {
    progress.show(`round ${round} of ${rounds}`);
    // The order alternates, so that neither process is always measured first.
    const order = [[small, ofFew] as const, [large, ofMany] as const];
    for (const [one, into] of round % 2 ? order : order.reverse()) into.push(await times(one.targets));
  }
  const over = (of: (kind: RequestKind) => number) =>
    Object.fromEntries(requestKinds.map((kind) => [kind, of(kind)])) as RequestTimes;
  return {
    rounds,
    start: { few: small.start, many: large.start },
    few: over((kind) => computeMedian(ofFew.map((times) => times[kind]))),
    many: over((kind) => computeMedian(ofMany.map((times) => times[kind]))),
    ratio: over((kind) => computeMedian(ofMany.map((times, round) => times[kind] / ofFew[round]![kind]))),
  };
}

/** Starts an API process with this many capabilities on its own database. */
async function startApi(servers: Servers, capabilities: number, starting: TrackStart) {
  const { env, provisioned: key } = await servers.database(`bench${capabilities}`, async (p) => {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "owner", kind: "person" });
    await p.addPrincipal({ tenant, id: "agent", kind: "agent", owner: "owner" });
    return p.createKey(tenant, "agent");
  });
  const from = performance.now();
  const child = await starting(
    startChild(new URL("./process.ts", import.meta.url), {
      ...env,
      ROLE: "api",
      CAPABILITIES: String(capabilities),
    }),
  );
  const { url, tookMs } = child.ready as { url: string; tookMs: number };
  const call = (capability: string): LoadTarget => ({
    origin: url,
    path: "/v1/calls",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", prefer: "wait=10" },
    body: JSON.stringify({ capability, input: { name: "{n}" } }),
    expect: { status: 200, contains: '"succeeded"' },
  });
  const targets: Readonly<Record<RequestKind, LoadTarget>> = {
    list: {
      origin: url,
      method: "GET",
      path: "/v1/capabilities?limit=10",
      body: "",
      headers: { authorization: `Bearer ${key}` },
      expect: { status: 200, contains: '"contractDigest"' },
    },
    read: call("system0.verb0"),
    write: call("system0.verb1"),
  };
  return { targets, start: { processMs: performance.now() - from, paraphMs: tookMs } };
}

function evaluateTargets({ start, ratio }: Measurement, quick: boolean): BenchTarget[] {
  const aim = maxRatio * getRatioLeeway(quick);
  return [
    {
      what: `starting Paraph with ${many.toLocaleString("en")} capabilities`,
      aim: `≤ ${formatFigure(maxStartMs)} ms`,
      measured: `${formatFigure(start.many.paraphMs)} ms`,
      met: judgeInFullRun(quick, start.many.paraphMs <= maxStartMs),
    },
    ...requestKinds.map((kind) => ({
      what: `${kindTitles[kind]}, of the same with ${few}`,
      aim: `≤ ${formatFigure(aim)} ×`,
      measured: `${formatFigure(ratio[kind])} ×`,
      met: ratio[kind] <= aim,
    })),
  ];
}

const kindTitles: Readonly<Record<RequestKind, string>> = {
  list: "a page of ten of the list",
  read: "a read, admitted and performed",
  write: "a write, admitted and performed",
};

function formatReport(
  { start, few: small, many: large }: Measurement,
  targets: readonly BenchTarget[],
): string {
  const row = (count: number, { processMs, paraphMs }: StartDuration, times: RequestTimes) => [
    count.toLocaleString("en"),
    `${formatFigure(processMs)} ms`,
    `${formatFigure(paraphMs)} ms`,
    ...requestKinds.map((kind) => `${formatFigure(times[kind])} ms`),
  ];
  const rows = [row(few, start.few, small), row(many, start.many, large)];
  const head = ["capabilities", "process ready", "of that Paraph", "list p50", "read p50", "write p50"];
  return `${alignTable(head, rows)}\n\n${formatTargets("Capabilities", targets)}`;
}
