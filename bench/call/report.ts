import { figure, table } from "../lib/table.ts";
import { judged, type Target } from "../lib/target.ts";
import { parts } from "./cluster.ts";
import type { Figure, Result } from "./result.ts";
import { titles, variants } from "./variants.ts";

/** Everything, for people. */
export function report(result: Result, targets: readonly Target[]): string {
  const sections = [
    heading(result),
    latencies(result),
    throughput(result),
    costs(result),
    waiting(result),
    judged(result.quick ? "Target (quick: ratios only, by half)" : "Target", targets),
  ];
  const faults =
    result.errors.length === 0 ? [] : [`Errors\n${result.errors.map((error) => `  ${error}`).join("\n")}`];
  return [...sections, ...faults].join("\n\n");
}

function heading({ machine, at, seconds, quick, policies, performed, figures }: Result): string {
  const { fdatasync } = machine;
  const rounds = figures.write[64]?.rounds ?? 0;
  const others = Math.max(
    ...variants.flatMap((variant) => Object.values(figures[variant]).map(({ othersCores }) => othersCores)),
  );
  return [
    `call  ${at}  ${quick ? "quick" : "full"}, ${rounds} round${rounds === 1 ? "" : "s"}, ${Math.round(seconds)} s, ${policies} policies, writes performed ${performed}`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}; fdatasync ${figure(fdatasync.p50)} ms p50, ${figure(fdatasync.p99)} ms p99`,
    `Node ${machine.node}, PostgreSQL ${machine.postgres} (durable), Restate ${machine.restate} (one node, 2 partitions); commit ${machine.commit}`,
    `load average before the run ${figure(machine.loadBefore)}; others took up to ${figure(others)} of ${machine.cores} cores meanwhile${others > machine.cores * 0.1 ? ": NOISY, do not quote" : ""}`,
  ].join("\n");
}

function latencies({ figures, direct }: Result): string {
  const row = (title: string, { p50, p95, p99, count }: Figure["latency"]) => [
    title,
    figure(p50),
    figure(p95),
    figure(p99),
    count.toLocaleString("en"),
  ];
  const rows = variants.map((variant) => row(titles[variant], figures[variant][1]!.latency));
  return table(
    ["Latency at one connection, ms", "p50", "p95", "p99", "calls"],
    [...rows, row(titles.direct, direct)],
  );
}

function throughput({ figures }: Result): string {
  const bare = figures.bare;
  const rows = variants.map((variant) => [
    titles[variant],
    ...[32, 64].flatMap((connections) => {
      const { callsPerSecond, latency } = figures[variant][connections]!;
      const of = callsPerSecond.median / bare[connections]!.callsPerSecond.median;
      return [
        `${figure(callsPerSecond.median)} (${figure(callsPerSecond.low)}–${figure(callsPerSecond.high)})`,
        figure(of),
        `${figure(latency.p50)} / ${figure(latency.p99)}`,
      ];
    }),
  ]);
  return table(
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

function costs({ figures }: Result): string {
  const shown = [...parts, "load" as const];
  const rows = variants.map((variant) => {
    const { cpuMs, bytes } = figures[variant][64]!;
    const total = shown.reduce((sum, part) => sum + cpuMs[part], 0);
    return [
      titles[variant],
      ...shown.map((part) => figure(cpuMs[part])),
      figure(total),
      figure(bytes.wal / 1_024),
      figure(bytes.restate / 1_024),
    ];
  });
  return table(["CPU per call at 64 connections, ms", ...shown, "all", "WAL KiB", "Restate KiB"], rows);
}

function waiting({ waiting: steps }: Result): string {
  const rows = steps.map(({ approvals, none, some, ratio, askedPerSecond, found }) => [
    `${approvals.toLocaleString("en")} (${found.messages.toLocaleString("en")} in the engine)`,
    figure(none.many.callsPerSecond.median),
    figure(some.many.callsPerSecond.median),
    `${figure(ratio.median)} (${figure(ratio.low)}–${figure(ratio.high)})`,
    figure(none.single.latency.p50),
    figure(some.single.latency.p50),
    figure(askedPerSecond),
  ]);
  return table(
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
