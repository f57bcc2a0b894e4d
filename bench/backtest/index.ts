import { monitorEventLoopDelay } from "node:perf_hooks";
import { startPostgres } from "@paraph/dev-servers";
import { type BacktestResult, backtestPolicies } from "../../packages/server/src/policy/analysis/index.ts";
import { assemblePolicyDocument, loadPolicies } from "../../packages/server/src/policy/cedar/index.ts";
import {
  connectDatabase,
  createCallHistory,
  migrateDatabase,
  provision,
} from "../../packages/server/src/postgres/index.ts";
import { concludeBenchmark } from "../lib/conclude.ts";
import { measureInFolder } from "../lib/measure-in-folder.ts";
import type { BenchOptions } from "../lib/options.ts";
import type { BenchProgress } from "../lib/progress.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets as tableOfTargets } from "../lib/target.ts";
import type { TrackStart } from "../lib/with-folder.ts";
import { historyTenant, seedHistory } from "./history.ts";
import { backtestCapabilities, candidatePolicies } from "./policies.ts";

const minPerCore = 2_500;

interface Measurement {
  readonly calls: number;
  readonly policies: number;
  readonly loadMs: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The delay of the event loop, in milliseconds. */
  readonly loopDelayMs: { readonly p99: number; readonly max: number };
  readonly result: Pick<BacktestResult, "evaluated" | "changed" | "notEvaluated">;
}

/** Rules on past calls under a candidate policy set. Measures how many calls per second one core reads and rules on. */
export async function backtestBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const calls = options.quick ? 4_000 : 20_000;
  const { measured, about } = await measureInFolder(600, signal, (folder, progress, starting) =>
    measure(folder, calls, progress, starting),
  );
  const perCore = measured.calls / measured.cpuSeconds;
  const min = minPerCore / (options.quick ? 2 : 1);
  const targets: BenchTarget[] = [
    {
      what: "calls evaluated per second of processor time, reading them included",
      aim: `≥ ${min.toLocaleString("en")}`,
      measured: formatFigure(perCore),
      met: perCore >= min,
    },
  ];
  const { evaluated, changed } = measured.result;
  const found = {
    name: "backtest",
    targets,
    measured: { ...measured, perCore },
    report: formatReport(measured, perCore, targets),
    covers: [
      `${evaluated.toLocaleString("en")} stored calls, seeded as rows of one tenant, evaluated by a candidate of ${measured.policies} policies on top of the preset.`,
      `${changed.toLocaleString("en")} of them are ruled on otherwise by the candidate.`,
      "PostgreSQL without durable writes; no server and no engine.",
    ],
  };
  return concludeBenchmark(options, about, found);
}

async function measure(
  folder: string,
  calls: number,
  progress: BenchProgress,
  starting: TrackStart,
): Promise<Measurement> {
  progress.show("starting PostgreSQL");
  const server = await starting(startPostgres({ folder, durable: false }));
  await migrateDatabase(server.url);
  await provision(server.url, async (p) => {
    await p.createLogin("paraph", "paraph");
    await p.addTenant(historyTenant);
  });
  progress.show(`making ${calls.toLocaleString("en")} calls`);
  await seedHistory(server.url, calls);
  const login = new URL(server.url);
  login.username = login.password = "paraph";
  const database = await connectDatabase(login.href);
  try {
    progress.show("judging them");
    return await runBacktest(database.app, calls);
  } finally {
    await database.close();
  }
}

async function runBacktest(
  app: Parameters<typeof createCallHistory>[0],
  calls: number,
): Promise<Measurement> {
  const contracts = backtestCapabilities.map(({ contract }) => contract);
  const document = assemblePolicyDocument({
    sources: [{ file: "candidate.cedar", text: candidatePolicies }],
  });
  const byName = new Map(backtestCapabilities.map((capability) => [capability.contract.name, capability]));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const begun = performance.now();
  const run = backtestPolicies(document, {
    load: (wanted) => loadPolicies(wanted, contracts),
    capability: (name) => byName.get(name),
    history: createCallHistory(app, historyTenant),
    since: 0,
    until: Date.now() + 60_000,
    maxDifferences: 50,
    confirm: true,
    tenant: historyTenant,
  });
  const loaded = performance.now();
  const cpu = process.cpuUsage();
  delay.enable();
  for await (const line of run) {
    if (line.kind !== "result") continue;
    const seconds = (performance.now() - loaded) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    if (line.calls !== calls || line.evaluated !== calls)
      throw new Error(`${line.evaluated} of ${calls} were evaluated`);
    const { evaluated, changed, notEvaluated } = line;
    return {
      calls,
      policies: backtestCapabilities.length * 5,
      loadMs: loaded - begun,
      seconds,
      cpuSeconds: (user + system) / 1e6,
      loopDelayMs: { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
      result: { evaluated, changed, notEvaluated },
    };
  }
  throw new Error("there was no result");
}

function formatReport(measured: Measurement, perCore: number, targets: readonly BenchTarget[]): string {
  const { calls, policies, loadMs, seconds, loopDelayMs, result } = measured;
  const figures = alignTable(
    ["Backtest", "measured"],
    [
      [
        "calls evaluated, of them otherwise",
        `${calls.toLocaleString("en")}, ${result.changed.toLocaleString("en")}`,
      ],
      ["policies on top of the preset", String(policies)],
      ["loading the candidate, ms", formatFigure(loadMs)],
      ["calls per second of processor time", formatFigure(perCore)],
      ["calls per second of the clock", formatFigure(calls / seconds)],
      ["others in the process waited, p99 ms", formatFigure(loopDelayMs.p99)],
      ["at most, ms", formatFigure(loopDelayMs.max)],
    ],
  );
  return `${figures}\n\n${tableOfTargets("Targets", targets)}`;
}
