import type { LabEngine } from "../../lab/lab.ts";
import { startChild } from "../lib/child.ts";
import { concludeBenchmark } from "../lib/conclude.ts";
import { measureInFolder } from "../lib/measure-in-folder.ts";
import type { BenchOptions } from "../lib/options.ts";
import type { BenchProgress } from "../lib/progress.ts";
import { startServers } from "../lib/servers.ts";
import { computeMedian } from "../lib/stats.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets, getRatioLeeway } from "../lib/target.ts";
import type { TrackStart } from "../lib/with-folder.ts";

const tenant = "acme";
const small = 10;

/** The maximum ratio of a step's cost in a long plan to its cost in a short plan. */
const maxRatio = 1.15;

/** Milliseconds per step. */
interface StepCosts {
  readonly preview: number;
  readonly apply: number;
}

interface Measurement {
  readonly postgres: string;
  readonly large: number;
  readonly rounds: number;
  readonly short: StepCosts;
  readonly long: StepCosts;
  /**
   * The ratio of a step's cost in the long plan to its cost in the short plan. It is the median over all rounds, and
   * each round compares adjacent measurements.
   */
  readonly ratio: StepCosts;
}

/**
 * Compares the cost of a step in a plan of a thousand steps with its cost in a plan of ten. Resolves with whether every
 * target was met.
 */
export async function planBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const large = options.quick ? 200 : 1_000;
  const rounds = options.quick ? 2 : 5;
  const { measured, about } = await measureInFolder(
    options.quick ? 240 : 1_200,
    signal,
    (folder, progress, starting) =>
      measure({ folder, engine: options.engine }, large, rounds, progress, starting),
  );
  const targets = evaluateTargets(measured, options.quick);
  const found = {
    name: "plan",
    engine: options.engine,
    report: formatReport(measured, targets),
    covers: [
      "One API process and one worker; one agent whose plans policy allows.",
      `${rounds} rounds: a plan of ${large} steps against ${large / small} plans of ${small}, previewed without being made, then made and waited for.`,
      "Each step is a governed write under a lock of its own.",
    ],
    targets,
    measured: { ...measured, machine: { ...about, postgres: measured.postgres } },
  };
  return concludeBenchmark(options, about, found);
}

async function measure(
  { folder, engine }: { readonly folder: string; readonly engine: LabEngine },
  large: number,
  rounds: number,
  progress: BenchProgress,
  starting: TrackStart,
): Promise<Measurement> {
  progress.show("starting");
  const client = await startClient(folder, engine, starting);
  // Short and long plans alternate with equal total numbers of steps, so that other work on the machine affects both
  // equally.
  const short: StepCosts[] = [];
  const long: StepCosts[] = [];
  await measureCosts(client, small, 2);
  for (let round = 1; round <= rounds; round += 1) {
    progress.show(`round ${round} of ${rounds}`);
    short.push(await measureCosts(client, small, large / small));
    long.push(await measureCosts(client, large, 1));
  }
  const middle = (of: (costs: StepCosts) => number, all: readonly StepCosts[]) => computeMedian(all.map(of));
  const against = (of: (costs: StepCosts) => number) =>
    computeMedian(long.map((costs, round) => of(costs) / of(short[round]!)));
  return {
    postgres: client.postgres,
    large,
    rounds,
    short: { preview: middle(({ preview }) => preview, short), apply: middle(({ apply }) => apply, short) },
    long: { preview: middle(({ preview }) => preview, long), apply: middle(({ apply }) => apply, long) },
    ratio: { preview: against(({ preview }) => preview), apply: against(({ apply }) => apply) },
  };
}

interface PlanClient {
  readonly postgres: string;
  preview(plan: object): Promise<void>;
  apply(plan: object): Promise<void>;
}

/** Previews and applies this many plans with this many steps, one after another. */
async function measureCosts(client: PlanClient, steps: number, plans: number): Promise<StepCosts> {
  const timed = async (verb: (plan: object) => Promise<void>) => {
    const from = performance.now();
    for (let n = 0; n < plans; n += 1) await verb(buildPlan(steps));
    return (performance.now() - from) / (steps * plans);
  };
  return { preview: await timed(client.preview), apply: await timed(client.apply) };
}

function buildPlan(steps: number): object {
  const step = (n: number) => ({
    id: `s${n}`,
    capability: "bench.rename",
    input: { sign: `sign ${n}`, name: `name ${n}` },
  });
  return { version: 1, steps: Array.from({ length: steps }, (_, n) => step(n)) };
}

async function startClient(folder: string, engine: LabEngine, starting: TrackStart): Promise<PlanClient> {
  const servers = await startServers(folder, engine, starting);
  const database = await servers.database("paraph", async (p) => {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "owner", kind: "person" });
    await p.addPrincipal({ tenant, id: "agent", kind: "agent", owner: "owner" });
    return p.createKey(tenant, "agent");
  });
  const paraph = (role: "api" | "worker") =>
    starting(startChild(new URL("./process.ts", import.meta.url), { ...database.env, ROLE: role }));
  await paraph("worker");
  const { url } = (await paraph("api")).ready as { url: string };
  const headers = {
    authorization: `Bearer ${database.provisioned}`,
    "content-type": "application/json",
    prefer: "wait=30",
  };
  const answered = async (response: Response) => {
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    return (await response.json()) as { call: string; outcome?: { kind: string; code: string } };
  };
  const post = async (path: string, body: object) =>
    answered(await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
  const [row] = await database.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  return {
    postgres: row?.version ?? "unknown",
    async preview(plan) {
      await post("/v1/previews", { plan });
    },
    async apply(plan) {
      let view = await post("/v1/plans", { plan });
      while (!view.outcome) view = await answered(await fetch(`${url}/v1/calls/${view.call}`, { headers }));
      if (view.outcome.kind !== "succeeded")
        throw new Error(`a plan ended as ${view.outcome.kind} (${view.outcome.code})`);
    },
  };
}

function evaluateTargets({ ratio }: Measurement, quick: boolean): BenchTarget[] {
  const aim = maxRatio * getRatioLeeway(quick);
  return (["preview", "apply"] as const).map((what) => ({
    what: `${what}: a step of the long plan, of one of the short`,
    aim: `≤ ${formatFigure(aim)} ×`,
    measured: `${formatFigure(ratio[what])} ×`,
    met: ratio[what] <= aim,
  }));
}

function formatReport({ large, short, long }: Measurement, targets: readonly BenchTarget[]): string {
  const row = (steps: number, { preview, apply }: StepCosts) => [
    `${steps.toLocaleString("en")} steps`,
    `${formatFigure(preview)} ms`,
    `${formatFigure(apply)} ms`,
  ];
  const rows = [row(small, short), row(large, long)];
  return `${alignTable(["a step of a plan of", "preview", "apply"], rows)}\n\n${formatTargets("Plans", targets)}`;
}
