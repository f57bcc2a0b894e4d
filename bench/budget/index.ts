import { startEngineCluster } from "../engines/cluster.ts";
import { concludeBenchmark } from "../lib/conclude.ts";
import { LoadGenerator } from "../lib/load.ts";
import { measureInFolder } from "../lib/measure-in-folder.ts";
import type { BenchOptions } from "../lib/options.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets } from "../lib/target.ts";
import { measureOther } from "./against.ts";
import { type Budget, type CallCost, type CallKind, callKinds, kindTitles, totalCpu } from "./kinds.ts";
import { connections, measureCost, pickBudgetWorkload, sendCalls } from "./measure.ts";

/**
 * Measures what one call costs: processor time by process, bytes of write-ahead log, commits and syncs. With `against`,
 * it also measures another clone right after this one, and prints the ratio.
 */
export async function budgetBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const workload = pickBudgetWorkload(options.quick);
  const { measured, about } = await measureInFolder(
    workload.seconds,
    signal,
    async (folder, progress, starting) => {
      progress.show("starting");
      const cluster = await startEngineCluster(
        folder,
        { engine: options.engine, workers: 1, inline: true },
        starting,
      );
      const load = await starting(LoadGenerator.start());
      const warm = { calls: Math.min(workload.calls, 600), withinMs: workload.withinMs };
      const costs: Partial<Record<CallKind, CallCost>> = {};
      for (const kind of callKinds) {
        progress.show(kindTitles[kind]);
        await sendCalls(cluster, load, kind, warm);
        costs[kind] = await measureCost(cluster, load, kind, workload);
      }
      return costs as Budget;
    },
  );
  const other =
    options.against === undefined ? undefined : await measureOther(options.against, options, signal);
  const targets = callKinds.map((kind): BenchTarget => toFigure(kind, measured, other));
  return concludeBenchmark(options, about, {
    name: "budget",
    engine: options.engine,
    report: [
      formatCosts(measured),
      ...(other ? [`${options.against}:\n\n${formatCosts(other)}`] : []),
      ...callKinds.map((kind) => formatFunctions(kind, measured[kind], other?.[kind])),
      formatTargets("Processor time of all processes", targets),
    ].join("\n\n"),
    covers: [
      "One durable PostgreSQL, one API process that performs what need not wait, and one worker.",
      `${connections} connections; ${workload.rounds} rounds of ${workload.calls.toLocaleString("en")} calls of each kind. A figure is the median.`,
      "Processor time is scaled by a fixed task that ran before and after each round, so that busy and slow machines are comparable.",
    ],
    targets,
    measured: { costs: measured, ...(other && { other }) },
  });
}

function toFigure(kind: CallKind, costs: Budget, other: Budget | undefined): BenchTarget {
  const own = totalCpu(costs[kind]);
  const before = other && totalCpu(other[kind]);
  return {
    what: kindTitles[kind],
    aim: "reported",
    measured:
      before === undefined
        ? `${formatFigure(own)} µs`
        : `${formatFigure(own)} µs, ${(own / before).toFixed(2)} × of the other clone`,
    met: undefined,
  };
}

const formatCosts = (costs: Budget): string =>
  alignTable(
    ["Per call", "API µs", "worker µs", "PostgreSQL µs", "Restate µs", "WAL bytes", "commits", "syncs"],
    callKinds.map((kind) => {
      const { api, worker, postgres, restate, walBytes, commits, fsyncs } = costs[kind];
      return [
        kindTitles[kind],
        ...[api, worker, postgres, restate, walBytes, commits, fsyncs].map(formatFigure),
      ];
    }),
  );

function formatFunctions(kind: CallKind, { functions }: CallCost, other: CallCost | undefined): string {
  const before = new Map(other?.functions.map(({ name, microseconds }) => [name, microseconds]));
  return alignTable(
    [`PostgreSQL functions, ${kindTitles[kind]}`, "µs per call", ...(other ? ["other clone"] : [])],
    functions.map(({ name, microseconds }) => [
      name,
      formatFigure(microseconds),
      ...(other ? [formatFigure(before.get(name) ?? Number.NaN)] : []),
    ]),
  );
}
