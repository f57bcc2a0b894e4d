import { useEffect, useRef, useState } from "react";
import { NoAnswerError, ProblemError, postLines } from "../api/client.ts";
import type { BacktestLine, BacktestResult, Problem } from "../api/types.ts";
import type { PolicyFile } from "./policy-draft.ts";

const maxDifferences = 500;

/** A fault of a candidate, with its place. */
export interface PolicyFault {
  readonly file: string;
  readonly line?: number;
  readonly sentence: string;
}

export type BacktestState =
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly done: number; readonly total: number }
  | { readonly kind: "faulty"; readonly faults: readonly PolicyFault[] }
  | { readonly kind: "failed"; readonly error: Error }
  | { readonly kind: "done"; readonly result: BacktestResult; readonly sources: readonly PolicyFile[] };

/** Runs backtests of a candidate, one at a time. Leaving the page stops the backtest. */
export function useBacktest() {
  const [state, setState] = useState<BacktestState>({ kind: "none" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (sources: readonly PolicyFile[], days: number) => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    const report = (next: BacktestState) => {
      if (!stop.signal.aborted) setState(next);
    };
    report({ kind: "running", done: 0, total: 0 });
    let isEnded = false;
    const onLine = (line: BacktestLine) => {
      isEnded ||= line.kind !== "progress";
      if (line.kind === "progress") report({ ...line, kind: "running" });
      else if (line.kind === "result") report({ kind: "done", result: line, sources });
      else report({ kind: "failed", error: new Error(line.code) });
    };
    const since = new Date(Date.now() - days * 24 * 3_600_000).toISOString();
    const body = { since, maxDifferences, candidate: { sources, replace: false } };
    try {
      await postLines<BacktestLine>("/v1/policy/backtest", body, onLine, stop.signal);
      if (!isEnded) report({ kind: "failed", error: new NoAnswerError() });
    } catch (error) {
      const faults = error instanceof ProblemError ? readFaults(error.problem) : undefined;
      report(faults ? { kind: "faulty", faults } : { kind: "failed", error: error as Error });
    }
  };
  return { state, run, reset: () => setState({ kind: "none" }) };
}

function readFaults(problem: Problem): readonly PolicyFault[] | undefined {
  return (problem as Problem & { readonly faults?: readonly PolicyFault[] }).faults;
}
