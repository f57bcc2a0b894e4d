import { formatMessages } from "../lib/count-waiting.ts";
import { formatVersions } from "../lib/machine.ts";
import type { Latency } from "../lib/stats.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets } from "../lib/target.ts";
import type { ApprovalsBenchResult } from "./result.ts";

export function formatApprovalsReport(result: ApprovalsBenchResult, targets: readonly BenchTarget[]): string {
  return [
    formatHeading(result),
    formatLatencies(result),
    formatTargets(formatTargetHeading(result), targets),
  ].join("\n\n");
}

const formatTargetHeading = ({ quick }: ApprovalsBenchResult): string =>
  quick ? "Target (quick)" : "Target";

function formatHeading({
  machine,
  engine,
  at,
  seconds,
  quick,
  waiting,
  othersCores,
}: ApprovalsBenchResult): string {
  return [
    `approvals  ${at}  ${quick ? "quick" : "full"}, ${Math.round(seconds)} s, ${waiting.rounds.toLocaleString("en")} approvals waiting; ${formatMessages(waiting)}`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}; fdatasync ${formatFigure(machine.fdatasync.p50)} ms p50, ${formatFigure(machine.fdatasync.p99)} ms p99`,
    formatVersions(machine, engine),
    `load average before the run ${formatFigure(machine.loadBefore)}; others took ${formatFigure(othersCores)} of ${machine.cores} cores meanwhile${othersCores > machine.cores * 0.1 ? ": NOISY, do not quote" : ""}`,
  ].join("\n");
}

function formatLatencies({ lists, paced, atOnce, contended }: ApprovalsBenchResult): string {
  const row = (title: string, { p50, p95, p99, count }: Latency) => [
    title,
    ...[p50, p95, p99].map(formatFigure),
    count.toLocaleString("en"),
  ];
  return alignTable(
    ["Milliseconds", "p50", "p95", "p99", "of"],
    [
      ...lists.map(({ list, latency, pages, worst }) =>
        row(`${list} (${pages} pages, slowest ${worst.page}: ${formatFigure(worst.ms)})`, latency),
      ),
      row(`decision to start of apply, ${paced.perSecond} a second`, paced.toApply),
      row(`decision to its answer, ${paced.perSecond} a second`, paced.answered),
      row("decision to start of apply, all at once", atOnce.toApply),
      row("decision to its answer, all at once", atOnce.answered),
      row("decision to its answer, all on one approval", contended.answered),
    ],
  );
}
