import type { Call, Principal } from "@paraph/core";
import type {
  BacktestLine,
  ExplanationView,
  NewBacktest,
  PolicyReportView,
  PolicyView,
} from "../../http/schemas/policy.ts";

/** What the HTTP surface needs for those who write and oversee policy. Everything is of the principal's own tenant. */
export interface PolicyService {
  /** The set in force. */
  readActivePolicy(principal: Principal): Promise<DeepReadonly<PolicyView>>;
  /** Why policy said what it said of a call that the reader may see. */
  explainCall(call: Call): Promise<DeepReadonly<ExplanationView>>;
  /** What policy said between two moments. */
  reportRulings(principal: Principal, since: number, until: number): Promise<DeepReadonly<PolicyReportView>>;
  /** History against a candidate; refused with every fault where that is not a set of policies. */
  backtest(principal: Principal, wanted: NewBacktest, signal: AbortSignal): Promise<BacktestRun>;
}

export type BacktestRun =
  | { readonly kind: "running"; readonly lines: AsyncIterable<DeepReadonly<BacktestLine>> }
  | { readonly kind: "invalid"; readonly faults: readonly PolicyFault[] };

export interface PolicyFault {
  readonly file: string;
  readonly line?: number;
  readonly sentence: string;
}

/** What is only handed on, never changed. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;
