import { formatMessages } from "../lib/count-waiting.ts";
import { formatVersions } from "../lib/machine.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets } from "../lib/target.ts";
import type { CallBenchResult, VariantFigure } from "./result.ts";
import { measuredParts } from "./slice.ts";
import { listVariants, variantTitles } from "./variants.ts";

export function formatCallReport(result: CallBenchResult, targets: readonly BenchTarget[]): string {
  const sections = [
    formatHeading(result),
    formatLatencies(result),
    formatThroughput(result),
    formatCosts(result),
    formatWaiting(result),
    formatTargets(result.quick ? "Target (quick: ratios only, by half)" : "Target", targets),
  ];
  const faults =
    result.errors.length === 0 ? [] : [`Errors\n${result.errors.map((error) => `  ${error}`).join("\n")}`];
  return [...sections, ...faults].join("\n\n");
}

function formatHeading({
  machine,
  engine,
  at,
  seconds,
  quick,
  policies,
  performed,
  figures,
}: CallBenchResult): string {
  const { fdatasync } = machine;
  const rounds = figures.write[64]?.rounds ?? 0;
  const others = Math.max(
    ...Object.values(figures).flatMap((each) => Object.values(each).map(({ othersCores }) => othersCores)),
  );
  return [
    `call  ${at}  ${quick ? "quick" : "full"}, ${rounds} round${rounds === 1 ? "" : "s"}, ${Math.round(seconds)} s, ${policies} policies, writes performed ${performed}`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}; fdatasync ${formatFigure(fdatasync.p50)} ms p50, ${formatFigure(fdatasync.p99)} ms p99`,
    formatVersions(machine, engine),
    `load average before the run ${formatFigure(machine.loadBefore)}; others took up to ${formatFigure(others)} of ${machine.cores} cores meanwhile${others > machine.cores * 0.1 ? ": NOISY, do not quote" : ""}`,
  ].join("\n");
}

function formatLatencies({ engine, figures, direct }: CallBenchResult): string {
  const row = (title: string, { p50, p95, p99, count }: VariantFigure["latency"]) => [
    title,
    formatFigure(p50),
    formatFigure(p95),
    formatFigure(p99),
    count.toLocaleString("en"),
  ];
  const rows = listVariants(engine).map((variant) =>
    row(variantTitles[variant], figures[variant]![1]!.latency),
  );
  return alignTable(
    ["Latency at one connection, ms", "p50", "p95", "p99", "calls"],
    [...rows, row(variantTitles.direct, direct)],
  );
}

function formatThroughput({ engine, figures }: CallBenchResult): string {
  const bare = figures.bare;
  const rows = listVariants(engine).map((variant) => [
    variantTitles[variant],
    ...[32, 64].flatMap((connections) => {
      const { callsPerSecond, latency } = figures[variant]![connections]!;
      const of = callsPerSecond.median / (bare?.[connections]?.callsPerSecond.median ?? Number.NaN);
      return [
        `${formatFigure(callsPerSecond.median)} (${formatFigure(callsPerSecond.low)}–${formatFigure(callsPerSecond.high)})`,
        formatFigure(of),
        `${formatFigure(latency.p50)} / ${formatFigure(latency.p99)}`,
      ];
    }),
  ]);
  return alignTable(
    [
      "Calls per second, median (range)",
      "32 connections",
      "of bare",
      "p50 / p99 ms",
      "64 connections",
      "of bare",
      "p50 / p99 ms",
    ],
    rows,
  );
}

function formatCosts({ engine, figures }: CallBenchResult): string {
  const shown = measuredParts.filter((part) => figures.write[64]!.cpuMs[part] !== undefined);
  const rows = listVariants(engine).map((variant) => {
    const { cpuMs, bytes } = figures[variant]![64]!;
    const total = shown.reduce((sum, part) => sum + (cpuMs[part] ?? 0), 0);
    return [
      variantTitles[variant],
      ...shown.map((part) => formatFigure(cpuMs[part] ?? Number.NaN)),
      formatFigure(total),
      formatFigure(bytes.wal / 1_024),
      formatFigure(bytes.restate / 1_024),
    ];
  });
  return alignTable(["CPU per call at 64 connections, ms", ...shown, "all", "WAL KiB", "Restate KiB"], rows);
}

function formatWaiting({ waiting: steps }: CallBenchResult): string {
  const rows = steps.map(({ approvals, none, some, ratio, askedPerSecond, found }) => [
    `${approvals.toLocaleString("en")} (${formatMessages(found)})`,
    formatFigure(none.many.callsPerSecond.median),
    formatFigure(some.many.callsPerSecond.median),
    `${formatFigure(ratio.median)} (${formatFigure(ratio.low)}–${formatFigure(ratio.high)})`,
    formatFigure(none.single.latency.p50),
    formatFigure(some.single.latency.p50),
    formatFigure(askedPerSecond),
  ]);
  return alignTable(
    [
      "(e) Approvals waiting",
      "none, calls/s",
      "waiting, calls/s",
      "ratio by round",
      "none, p50 ms",
      "waiting, p50 ms",
      "asked per s",
    ],
    rows,
  );
}
