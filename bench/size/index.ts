import type { LabEngine } from "../../lab/lab.ts";
import { connectDatabase, sweepDueCalls } from "../../packages/server/src/postgres/index.ts";
import { startChild } from "../lib/child.ts";
import { concludeBenchmark } from "../lib/conclude.ts";
import { measureInFolder } from "../lib/measure-in-folder.ts";
import type { BenchOptions } from "../lib/options.ts";
import type { BenchProgress } from "../lib/progress.ts";
import { startServers } from "../lib/servers.ts";
import { computeLatency, type Latency } from "../lib/stats.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets, getRatioLeeway, judgeInFullRun } from "../lib/target.ts";
import type { TrackStart } from "../lib/with-folder.ts";
import { copyCall, getCopyId } from "./copy-call.ts";
import { type Growth, measureGrowth } from "./growth.ts";

const tenant = "acme";
const openCalls = 100;
const maxListMs = 50;
/** The maximum ratio of the p50 with the most calls to the p50 with the fewest. */
const maxRatio = 1.15;

interface Operation {
  readonly what: string;
  readonly isList?: true;
  run(round: number): Promise<unknown>;
}

interface SizeResult {
  readonly calls: number;
  readonly loadSeconds: number;
  readonly databaseBytes: number;
  readonly growth: readonly Growth[];
  readonly latencies: Readonly<Record<string, Latency>>;
}

interface Measurement {
  readonly lists: readonly string[];
  readonly sizes: readonly SizeResult[];
}

/** Measures reads, writes, lists and the sweep while the number of past calls grows. */
export async function sizeBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const sizes = options.quick ? [1_000, 10_000] : [10_000, 100_000, 1_000_000];
  const { measured, about } = await measureInFolder(
    options.quick ? 240 : 3_600,
    signal,
    (folder, progress, starting) => measure({ folder, engine: options.engine }, sizes, progress, starting),
  );
  const targets = evaluateTargets(measured, options.quick);
  return concludeBenchmark(options, about, {
    name: "size",
    engine: options.engine,
    report: formatReport(measured, targets),
    covers: [
      `One API process. ${openCalls} open calls come after all others in the lists. A call that succeeded is copied with all its rows: ${sizes.map((size) => size.toLocaleString("en")).join(", ")} times.`,
      "At each size, one caller repeats each operation over HTTP, in turn. The sweep is one statement.",
    ],
    targets,
    measured,
  });
}

async function measure(
  { folder, engine }: { readonly folder: string; readonly engine: LabEngine },
  sizes: readonly number[],
  progress: BenchProgress,
  starting: TrackStart,
): Promise<Measurement> {
  progress.show("starting");
  const servers = await startServers(folder, engine, starting);
  const { env, query, provisioned } = await servers.database("paraph", async (p) => {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "owner", kind: "person" });
    await p.addPrincipal({ tenant, id: "agent", kind: "agent", owner: "owner" });
    return { person: await p.createKey(tenant, "owner"), agent: await p.createKey(tenant, "agent") };
  });
  const paraph = (role: "api" | "worker") =>
    starting(startChild(new URL("./process.ts", import.meta.url), { ...env, ROLE: role }));
  await paraph("worker");
  const { url } = (await paraph("api")).ready as { url: string };
  const database = await connectDatabase(env.DATABASE_URL!, { connections: 1 });
  await starting(Promise.resolve({ stop: () => database.close() }));

  const send = async (key: string, path: string, body?: object, wait = 0) => {
    const response = await fetch(`${url}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", prefer: `wait=${wait}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as { call: string };
  };
  const write = () =>
    send(provisioned.agent, "/v1/calls", { capability: "bench.write", input: { name: "n" } }, 10);
  const list = (path: string): Operation => ({
    what: `GET ${path}`,
    isList: true,
    run: () => send(provisioned.person, path),
  });

  for (let n = 0; n < openCalls; n += 1)
    await send(provisioned.agent, "/v1/calls", { capability: "bench.ask", input: { name: String(n) } });
  const { call: template } = await write();

  const results: SizeResult[] = [];
  let operations: readonly Operation[] = [];
  let loaded = 0;
  for (const size of sizes) {
    progress.show(`copying up to ${size.toLocaleString("en")} calls`);
    const from = performance.now();
    await copyCall(query, template, loaded + 1, size);
    const loadSeconds = (performance.now() - from) / 1_000;
    loaded = size;
    operations = [
      {
        what: "read a call",
        run: (round) => send(provisioned.person, `/v1/calls/${getCopyId(1 + ((round * 7_919) % size))}`),
      },
      { what: "write a call", run: write },
      ...[
        "/v1/calls",
        "/v1/calls?state=open",
        "/v1/calls?outcome=denied",
        "/v1/calls?capability=bench.ask",
        "/v1/activity",
        "/v1/approvals",
      ].map(list),
      { what: "sweep", run: () => sweepDueCalls(database.sweeper) },
    ];
    progress.show(`measuring at ${size.toLocaleString("en")} calls`);
    const [{ bytes } = { bytes: 0 }] = await query<{ bytes: number }>(
      "select pg_database_size(current_database())::float as bytes",
    );
    results.push({
      calls: size,
      loadSeconds,
      databaseBytes: bytes,
      growth: await measureGrowth(query, size),
      latencies: await measureOperations(operations),
    });
  }
  return { lists: operations.filter(({ isList }) => isList).map(({ what }) => what), sizes: results };
}

/** Runs the operations in turn, so that a change of the machine affects all of them. */
async function measureOperations(operations: readonly Operation[]): Promise<Record<string, Latency>> {
  const [warmRounds, rounds] = [20, 200];
  const taken = new Map(operations.map(({ what }) => [what, [] as number[]]));
  for (let round = 0; round < warmRounds + rounds; round += 1) {
    for (const { what, run } of operations) {
      const from = performance.now();
      await run(round);
      if (round >= warmRounds) taken.get(what)!.push(performance.now() - from);
    }
  }
  return Object.fromEntries([...taken].map(([what, times]) => [what, computeLatency(times)]));
}

function evaluateTargets({ lists, sizes }: Measurement, quick: boolean): BenchTarget[] {
  const [first, last] = [sizes[0]!, sizes.at(-1)!];
  const count = last.calls.toLocaleString("en");
  const slowest = Math.max(...lists.map((what) => last.latencies[what]!.p95));
  const aim = maxRatio * getRatioLeeway(quick);
  return [
    {
      what: `p95 of the slowest list at ${count} calls`,
      aim: `≤ ${maxListMs} ms`,
      measured: `${formatFigure(slowest)} ms`,
      met: judgeInFullRun(quick, slowest <= maxListMs),
    },
    ...Object.keys(last.latencies).map((what) => {
      const ratio = last.latencies[what]!.p50 / first.latencies[what]!.p50;
      return {
        what: `p50 of ${what} at ${count} calls, of that at ${first.calls.toLocaleString("en")}`,
        aim: `≤ ${formatFigure(aim)} ×`,
        measured: `${formatFigure(ratio)} ×`,
        met: ratio <= aim,
      };
    }),
  ];
}

function formatReport({ sizes }: Measurement, targets: readonly BenchTarget[]): string {
  const head = ["p50 (p95) in ms", ...sizes.map(({ calls }) => `${calls.toLocaleString("en")} calls`)];
  const rows = Object.keys(sizes[0]!.latencies).map((what) => [
    what,
    ...sizes.map(
      ({ latencies }) => `${formatFigure(latencies[what]!.p50)} (${formatFigure(latencies[what]!.p95)})`,
    ),
  ]);
  const size = sizes.map(({ databaseBytes }) => `${formatFigure(databaseBytes / 1e6)} MB`);
  const growth = sizes
    .at(-1)!
    .growth.map(({ table, rowBytes, indexBytes }) => [
      table,
      formatFigure(rowBytes),
      formatFigure(indexBytes),
    ]);
  return `${alignTable(head, [...rows, ["database", ...size]])}\n\n${alignTable(["bytes per closed call", "rows", "indexes"], growth)}\n\n${formatTargets("Size", targets)}`;
}
