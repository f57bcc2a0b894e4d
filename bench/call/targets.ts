import { formatFigure } from "../lib/table.ts";
import { type BenchTarget, getRatioLeeway, judgeInFullRun } from "../lib/target.ts";
import type { CallBenchResult, VariantFigure } from "./result.ts";

export function evaluateCallTargets(result: CallBenchResult): BenchTarget[] {
  const { quick, figures, direct, waiting, errors } = result;
  const at = (variant: "write" | "read", connections: number) =>
    figures[variant][connections] as VariantFigure;
  const leeway = getRatioLeeway(quick);
  const over = at("write", 1).latency.p50 - direct.p50;
  const reads = Math.max(readRate(at("read", 32)), readRate(at("read", 64)));
  const last = waiting.at(-1);
  return [
    { what: "errors", aim: "none", measured: String(errors.length), met: errors.length === 0 },
    ...compareWithBare(result, leeway),
    {
      what: "(b) p50 at one connection over (d)",
      aim: "≤ 10 ms",
      measured: `${formatFigure(over)} ms`,
      met: judgeInFullRun(quick, over <= 10),
    },
    {
      what: "(c) calls/s of one API process",
      aim: "≥ 1,300",
      measured: formatFigure(reads),
      met: judgeInFullRun(quick, reads >= 1_300),
    },
    {
      what: "(c) p50 at one connection",
      aim: "≤ 2 ms",
      measured: `${formatFigure(at("read", 1).latency.p50)} ms`,
      met: judgeInFullRun(quick, at("read", 1).latency.p50 <= 2),
    },
    ...(last
      ? [
          toMinTarget(
            `(e) calls/s with ${last.approvals.toLocaleString("en")} approvals waiting, of that with none`,
            0.9 / leeway,
            last.ratio.median,
          ),
        ]
      : []),
  ];
}

/** Evaluates the targets that compare a governed write with the bare engine. PostgreSQL has no bare engine. */
function compareWithBare({ figures: { bare, write } }: CallBenchResult, leeway: number): BenchTarget[] {
  if (!bare) return [];
  const ratio = readRate(write[64]!) / readRate(bare[64]!);
  const slower = write[1]!.latency.p50 / bare[1]!.latency.p50;
  return [
    toMinTarget("(b) calls/s at 64 connections, of (a)'s", 0.35 / leeway, ratio),
    toMaxTarget("(b) p50 at one connection, of (a)'s", 2.6 * leeway, slower),
  ];
}

const readRate = ({ callsPerSecond }: VariantFigure): number => callsPerSecond.median;

function toMinTarget(what: string, aim: number, measured: number): BenchTarget {
  return {
    what,
    aim: `≥ ${formatFigure(aim)} ×`,
    measured: `${formatFigure(measured)} ×`,
    met: measured >= aim,
  };
}

function toMaxTarget(what: string, aim: number, measured: number): BenchTarget {
  return {
    what,
    aim: `≤ ${formatFigure(aim)} ×`,
    measured: `${formatFigure(measured)} ×`,
    met: measured <= aim,
  };
}
