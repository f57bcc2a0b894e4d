import { figure } from "../lib/table.ts";
import { onlyInFull, ratioLeeway, type Target } from "../lib/target.ts";
import type { Figure, Result } from "./result.ts";

/** Each target with its measured value. */
export function targetsOf(result: Result): Target[] {
  const { quick, figures, direct, waiting, errors } = result;
  const at = (variant: keyof typeof figures, connections: number) => figures[variant][connections] as Figure;
  const leeway = ratioLeeway(quick);
  const ratio = rate(at("write", 64)) / rate(at("bare", 64));
  const slower = at("write", 1).latency.p50 / at("bare", 1).latency.p50;
  const over = at("write", 1).latency.p50 - direct.p50;
  const reads = Math.max(rate(at("read", 32)), rate(at("read", 64)));
  const last = waiting.at(-1);
  return [
    { what: "errors", aim: "none", measured: String(errors.length), met: errors.length === 0 },
    atLeast("(b) calls/s at 64 connections, of (a)'s", 0.35 / leeway, ratio),
    atMost("(b) p50 at one connection, of (a)'s", 2.6 * leeway, slower),
    {
      what: "(b) p50 at one connection over (d)",
      aim: "≤ 10 ms",
      measured: `${figure(over)} ms`,
      met: onlyInFull(quick, over <= 10),
    },
    {
      what: "(c) calls/s of one API process",
      aim: "≥ 1,300",
      measured: figure(reads),
      met: onlyInFull(quick, reads >= 1_300),
    },
    {
      what: "(c) p50 at one connection",
      aim: "≤ 2 ms",
      measured: `${figure(at("read", 1).latency.p50)} ms`,
      met: onlyInFull(quick, at("read", 1).latency.p50 <= 2),
    },
    ...(last
      ? [
          atLeast(
            `(e) calls/s with ${last.approvals.toLocaleString("en")} approvals waiting, of that with none`,
            0.9 / leeway,
            last.ratio.median,
          ),
        ]
      : []),
  ];
}

const rate = ({ callsPerSecond }: Figure): number => callsPerSecond.median;

function atLeast(what: string, aim: number, measured: number): Target {
  return { what, aim: `≥ ${figure(aim)} ×`, measured: `${figure(measured)} ×`, met: measured >= aim };
}

function atMost(what: string, aim: number, measured: number): Target {
  return { what, aim: `≤ ${figure(aim)} ×`, measured: `${figure(measured)} ×`, met: measured <= aim };
}
