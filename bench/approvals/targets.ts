import { figure } from "../lib/table.ts";
import { onlyInFull, ratioLeeway, type Target } from "../lib/target.ts";
import { planOf } from "./plan.ts";
import { faultsIn, type Result } from "./result.ts";

/** Each target with its measured value. */
export function targetsOf(result: Result): Target[] {
  const { quick, lists, paced, atOnce, contended, calls, waiting } = result;
  const slower = 1.15 * ratioLeeway(quick);
  const faults = faultsIn(result);
  return [
    { what: "errors", aim: "none", measured: faults.join("; ") || "none", met: faults.length === 0 },
    {
      what: "approvals waiting",
      aim: "20,000",
      measured: waiting.rounds.toLocaleString("en"),
      met: waiting.rounds === 20_000 && waiting.messages === planOf(quick).waiting.messages,
    },
    ...lists.map(({ list, latency }) => atMost(quick, `${list}, p95`, 100, latency.p95)),
    atMost(quick, `decision to start of apply at ${paced.perSecond} a second, p99`, 90, paced.toApply.p99),
    {
      what: `${contended.decisions.toLocaleString("en")} decisions at once on one approval`,
      aim: "one outcome",
      measured: `${contended.counted} counted, ${contended.outcome}, ${contended.receipts} receipt, ${contended.effects} effect`,
      met: contended.faults.length === 0,
    },
    {
      what: `${atOnce.decisions.toLocaleString("en")} decisions at once, each on its own`,
      aim: "reported",
      measured: `${figure(atOnce.decisionsPerSecond)} a second, p50 ${figure(atOnce.answered.p50)} ms, p99 ${figure(atOnce.answered.p99)} ms, all begun after ${figure(atOnce.begunSeconds)} s`,
      met: undefined,
    },
    {
      what: "a call's p50 while they wait, of that with none",
      aim: `≤ ${figure(slower)} ×`,
      measured: `${figure(calls.ratio.median)} × (${figure(calls.none)} and ${figure(calls.waiting)} ms)`,
      met: calls.ratio.median <= slower,
    },
  ];
}

function atMost(quick: boolean, what: string, aim: number, measured: number): Target {
  const met = onlyInFull(quick, measured <= aim);
  return { what, aim: `≤ ${figure(aim)} ms`, measured: `${figure(measured)} ms`, met };
}
