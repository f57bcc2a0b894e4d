import { formatFigure } from "../lib/table.ts";
import { type BenchTarget, getRatioLeeway, judgeInFullRun } from "../lib/target.ts";
import { type ApprovalsBenchResult, listFaults } from "./result.ts";
import { pickApprovalsWorkload } from "./workload.ts";

export function evaluateApprovalsTargets(result: ApprovalsBenchResult): BenchTarget[] {
  const { quick, engine, lists, paced, atOnce, contended, calls, waiting } = result;
  const slower = 1.15 * getRatioLeeway(quick);
  const faults = listFaults(result);
  return [
    { what: "errors", aim: "none", measured: faults.join("; ") || "none", met: faults.length === 0 },
    {
      what: "approvals waiting",
      aim: "20,000",
      measured: waiting.rounds.toLocaleString("en"),
      met:
        waiting.rounds === 20_000 &&
        (engine === "postgres" || waiting.messages === pickApprovalsWorkload(quick).waiting.messages),
    },
    ...lists.map(({ list, latency }) => toMaxTarget(quick, `${list}, p95`, 100, latency.p95)),
    toMaxTarget(
      quick,
      `decision to start of apply at ${paced.perSecond} a second, p99`,
      90,
      paced.toApply.p99,
    ),
    {
      what: `${contended.decisions.toLocaleString("en")} decisions at once on one approval`,
      aim: "one outcome",
      measured: `${contended.counted} counted, ${contended.outcome}, ${contended.receipts} receipt, ${contended.effects} effect`,
      met: contended.faults.length === 0,
    },
    {
      what: `${atOnce.decisions.toLocaleString("en")} decisions at once, each on its own`,
      aim: "reported",
      measured: `${formatFigure(atOnce.decisionsPerSecond)} a second, p50 ${formatFigure(atOnce.answered.p50)} ms, p99 ${formatFigure(atOnce.answered.p99)} ms, all begun after ${formatFigure(atOnce.begunSeconds)} s`,
      met: undefined,
    },
    {
      what: "a call's p50 while they wait, of that with none",
      aim: `≤ ${formatFigure(slower)} ×`,
      measured: `${formatFigure(calls.ratio.median)} × (${formatFigure(calls.none)} and ${formatFigure(calls.waiting)} ms)`,
      met: calls.ratio.median <= slower,
    },
  ];
}

function toMaxTarget(quick: boolean, what: string, aim: number, measured: number): BenchTarget {
  const met = judgeInFullRun(quick, measured <= aim);
  return { what, aim: `≤ ${formatFigure(aim)} ms`, measured: `${formatFigure(measured)} ms`, met };
}
