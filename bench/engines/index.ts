import { concludeBenchmark } from "../lib/conclude.ts";
import { measureInFolder } from "../lib/measure-in-folder.ts";
import type { BenchOptions } from "../lib/options.ts";
import type { Spread } from "../lib/stats.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets } from "../lib/target.ts";
import { type EngineFigures, type EnginesMeasurement, manyConnections, measureEngines } from "./measure.ts";
import { pickEnginesWorkload } from "./workload.ts";

/** Measures both engines side by side. There are no targets except that nothing fails. */
export async function enginesBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const plan = pickEnginesWorkload(options.quick);
  const { measured, about } = await measureInFolder(plan.seconds, signal, (folder, progress, starting) =>
    measureEngines(plan, folder, progress, starting),
  );
  const targets = [toErrorTarget(measured), ...listFigures(measured)];
  return concludeBenchmark(options, about, {
    name: "engines",
    report: [...measured.steps.map(formatStep), formatTargets("Engines", targets)].join("\n\n"),
    covers: [
      "Each cluster has its own durable PostgreSQL, one API process, and Restate if it is the engine. Only workers perform calls.",
      `${plan.rounds} rounds; in each round, the clusters of a comparison take turns. A figure is the median over the rounds.`,
      `Per turn: writes at 1 and at ${manyConnections} connections, ${manyConnections} connections on one lock key, and ${plan.pace.perSecond} approvals a second for ${plan.pace.seconds} s.`,
      "The time to the end of an approved call is from sending the decision to the time in the row of the call.",
    ],
    targets,
    measured,
  });
}

const toErrorTarget = ({ errors }: EnginesMeasurement): BenchTarget => ({
  what: "errors",
  aim: "none",
  measured: errors.join("; ") || "none",
  met: errors.length === 0,
});

const measures: readonly {
  readonly title: string;
  readonly unit: string;
  readonly pick: (figures: EngineFigures) => number;
}[] = [
  { title: "write at 1 connection, p50", unit: " ms", pick: ({ writeP50 }) => writeP50.median },
  { title: "write at 1 connection, p99", unit: " ms", pick: ({ writeP99 }) => writeP99.median },
  {
    title: `writes at ${manyConnections} connections`,
    unit: "/s",
    pick: ({ writesPerSecond }) => writesPerSecond.median,
  },
  {
    title: `CPU per write at ${manyConnections} connections`,
    unit: " ms",
    pick: ({ writeCpuMs }) => writeCpuMs.median,
  },
  {
    title: `calls on one lock key at ${manyConnections} connections`,
    unit: "/s",
    pick: ({ lockedPerSecond }) => lockedPerSecond.median,
  },
  {
    title: "approval to the end of the call, p50",
    unit: " ms",
    pick: ({ approvalP50 }) => approvalP50.median,
  },
  {
    title: "approval to the end of the call, p99",
    unit: " ms",
    pick: ({ approvalP99 }) => approvalP99.median,
  },
  { title: "one pass of the sweeper, p50", unit: " ms", pick: ({ sweepMs }) => sweepMs },
];

/** Lists the figures of PostgreSQL beside those of Restate, for docs/proof.md. */
function listFigures({ steps }: EnginesMeasurement): BenchTarget[] {
  return steps.flatMap((step, index) =>
    step
      // Clusters with one worker and no waiting approvals take turns in every step, and are listed once.
      .filter(({ workers, waiting }) => index === 0 || workers > 1 || waiting > 0)
      .flatMap((postgres) => {
        const restate = step.find(
          ({ engine, workers, waiting }) =>
            engine === "restate" && workers === postgres.workers && waiting === postgres.waiting,
        );
        if (postgres.engine !== "postgres" || !restate) return [];
        return measures.map(({ title, unit, pick }) => ({
          what: `${describe(postgres)}: ${title}`,
          aim: "reported",
          measured: `PostgreSQL ${formatFigure(pick(postgres))}${unit}, Restate ${formatFigure(pick(restate))}${unit}`,
          met: undefined,
        }));
      }),
  );
}

const describe = ({ workers, waiting }: EngineFigures): string =>
  waiting > 0
    ? `${waiting.toLocaleString("en")} approvals waiting`
    : `${workers} worker${workers === 1 ? "" : "s"}`;

const formatSpread = ({ median, low, high }: Spread): string =>
  `${formatFigure(median)} (${formatFigure(low)}–${formatFigure(high)})`;

function formatStep(step: readonly EngineFigures[]): string {
  const rows = step.map((figures) => [
    `${figures.engine}, ${describe(figures)}`,
    formatSpread(figures.writeP50),
    formatSpread(figures.writesPerSecond),
    formatSpread(figures.writeCpuMs),
    formatSpread(figures.lockedPerSecond),
    formatSpread(figures.approvalP50),
    formatSpread(figures.approvalP99),
    formatFigure(figures.sweepMs),
  ]);
  return alignTable(
    [
      "Median (range)",
      "write p50 ms",
      "writes/s",
      "CPU ms/write",
      "one lock/s",
      "approval p50 ms",
      "approval p99 ms",
      "sweep ms",
    ],
    rows,
  );
}
