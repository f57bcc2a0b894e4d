import type { Latency } from "../lib/stats.ts";
import { figure, table } from "../lib/table.ts";
import { judged, type Target } from "../lib/target.ts";
import type { Result } from "./result.ts";

/** Everything, for people. */
export function report(result: Result, targets: readonly Target[]): string {
  return [heading(result), latencies(result), judged(headingOf(result), targets)].join("\n\n");
}

const headingOf = ({ quick }: Result): string => (quick ? "Target (quick)" : "Target");

function heading({ machine, at, seconds, quick, waiting, othersCores }: Result): string {
  return [
    `approvals  ${at}  ${quick ? "quick" : "full"}, ${Math.round(seconds)} s, ${waiting.rounds.toLocaleString("en")} approvals waiting, ${waiting.messages.toLocaleString("en")} messages in the engine`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}; fdatasync ${figure(machine.fdatasync.p50)} ms p50, ${figure(machine.fdatasync.p99)} ms p99`,
    `Node ${machine.node}, PostgreSQL ${machine.postgres} (durable), Restate ${machine.restate} (one node, 2 partitions); commit ${machine.commit}`,
    `load average before the run ${figure(machine.loadBefore)}; others took ${figure(othersCores)} of ${machine.cores} cores meanwhile${othersCores > machine.cores * 0.1 ? ": NOISY, do not quote" : ""}`,
  ].join("\n");
}

function latencies({ lists, paced, atOnce, contended }: Result): string {
  const row = (title: string, { p50, p95, p99, count }: Latency) => [
    title,
    ...[p50, p95, p99].map(figure),
    count.toLocaleString("en"),
  ];
  return table(
    ["Milliseconds", "p50", "p95", "p99", "of"],
    [
      ...lists.map(({ list, latency, pages, worst }) =>
        row(`${list} (${pages} pages, slowest ${worst.page}: ${figure(worst.ms)})`, latency),
      ),
      row(`decision to start of apply, ${paced.perSecond} a second`, paced.toApply),
      row(`decision to its answer, ${paced.perSecond} a second`, paced.answered),
      row("decision to start of apply, all at once", atOnce.toApply),
      row("decision to its answer, all at once", atOnce.answered),
      row("decision to its answer, all on one approval", contended.answered),
    ],
  );
}
