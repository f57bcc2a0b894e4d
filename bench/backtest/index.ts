import { monitorEventLoopDelay } from "node:perf_hooks";
import { loadPolicies, policyDocument } from "../../packages/server/src/policy/cedar/index.ts";
import { backtest, type Result } from "../../packages/server/src/policy/tools/index.ts";
import { callHistory, connect, migrate, provision } from "../../packages/server/src/postgres/index.ts";
import { startPostgres } from "../../packages/server/src/servers/index.ts";
import { conclude } from "../lib/conclude.ts";
import { measuredIn } from "../lib/measured.ts";
import type { Options } from "../lib/options.ts";
import type { Progress } from "../lib/progress.ts";
import type { Starting } from "../lib/scope.ts";
import { figure, table } from "../lib/table.ts";
import { type Target, judged as tableOfTargets } from "../lib/target.ts";
import { seedHistory, tenant } from "./history.ts";
import { candidate, capabilities } from "./policies.ts";

const leastPerCore = 1_000;

interface Measured {
  readonly calls: number;
  readonly policies: number;
  readonly loadMs: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** How long the process kept others waiting, in milliseconds. */
  readonly loopDelayMs: { readonly p99: number; readonly max: number };
  readonly result: Pick<Result, "judged" | "changed" | "unjudged">;
}

/** History against a candidate: how many calls a second one core judges, reading them included. */
export async function backtestBenchmark(options: Options, signal: AbortSignal): Promise<boolean> {
  const calls = options.quick ? 4_000 : 20_000;
  const { measured, about } = await measuredIn(600, signal, (folder, progress, starting) =>
    measure(folder, calls, progress, starting),
  );
  const perCore = measured.calls / measured.cpuSeconds;
  const least = leastPerCore / (options.quick ? 2 : 1);
  const targets: Target[] = [
    {
      what: "calls judged per second of processor time, reading them included",
      aim: `≥ ${least.toLocaleString("en")}`,
      measured: figure(perCore),
      met: perCore >= least,
    },
  ];
  const { judged, changed } = measured.result;
  const found = {
    name: "backtest",
    targets,
    measured: { ...measured, perCore },
    report: report(measured, perCore, targets),
    covers: [
      `${judged.toLocaleString("en")} stored calls, seeded as rows of one tenant, judged by a candidate of ${measured.policies} policies on top of the preset.`,
      `${changed.toLocaleString("en")} of them are ruled on otherwise by the candidate.`,
      "PostgreSQL without durable writes; no server and no engine.",
    ],
  };
  return conclude(options, about, found);
}

async function measure(
  folder: string,
  calls: number,
  progress: Progress,
  starting: Starting,
): Promise<Measured> {
  progress.say("starting PostgreSQL");
  const server = await starting(startPostgres({ folder, durable: false }));
  await migrate(server.url);
  await provision(server.url, async (p) => {
    await p.login("paraph", "paraph");
    await p.tenant(tenant);
  });
  progress.say(`making ${calls.toLocaleString("en")} calls`);
  await seedHistory(server.url, calls);
  const login = new URL(server.url);
  login.username = login.password = "paraph";
  const database = await connect(login.href);
  try {
    progress.say("judging them");
    return await judged(database.app, calls);
  } finally {
    await database.close();
  }
}

async function judged(app: Parameters<typeof callHistory>[0], calls: number): Promise<Measured> {
  const contracts = capabilities.map(({ contract }) => contract);
  const document = policyDocument({ sources: [{ file: "candidate.cedar", text: candidate }] });
  const byName = new Map(capabilities.map((capability) => [capability.contract.name, capability]));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const begun = performance.now();
  const run = backtest(document, {
    load: (wanted) => loadPolicies(wanted, contracts),
    capability: (name) => byName.get(name),
    history: callHistory(app, tenant),
    since: 0,
    until: Date.now() + 60_000,
    most: 50,
    confirm: true,
    tenant,
  });
  const loaded = performance.now();
  const cpu = process.cpuUsage();
  delay.enable();
  for await (const line of run) {
    if (line.kind !== "result") continue;
    const seconds = (performance.now() - loaded) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    if (line.calls !== calls || line.judged !== calls)
      throw new Error(`${line.judged} of ${calls} were judged`);
    const { judged, changed, unjudged } = line;
    return {
      calls,
      policies: capabilities.length * 5,
      loadMs: loaded - begun,
      seconds,
      cpuSeconds: (user + system) / 1e6,
      loopDelayMs: { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
      result: { judged, changed, unjudged },
    };
  }
  throw new Error("there was no result");
}

function report(measured: Measured, perCore: number, targets: readonly Target[]): string {
  const { calls, policies, loadMs, seconds, loopDelayMs, result } = measured;
  const figures = table(
    ["Backtest", "measured"],
    [
      [
        "calls judged, of them otherwise",
        `${calls.toLocaleString("en")}, ${result.changed.toLocaleString("en")}`,
      ],
      ["policies on top of the preset", String(policies)],
      ["loading the candidate, ms", figure(loadMs)],
      ["calls per second of processor time", figure(perCore)],
      ["calls per second of the clock", figure(calls / seconds)],
      ["others in the process waited, p99 ms", figure(loopDelayMs.p99)],
      ["at most, ms", figure(loopDelayMs.max)],
    ],
  );
  return `${figures}\n\n${tableOfTargets("Targets", targets)}`;
}
