import type { Call, Principal } from "@paraph/core";
import type {
  BacktestLine,
  ExplanationView,
  NewBacktest,
  PolicyReportView,
  PolicyView,
} from "../../http/schemas/policy.ts";

/** The policy operations behind the HTTP API. Each covers only the principal's own tenant. */
export interface PolicyService {
  /** Returns the policy set in force. */
  readActivePolicy(principal: Principal): Promise<DeepReadonly<PolicyView>>;
  /** Explains the ruling on a call. The caller must already have found the call. */
  explainCall(call: Call): Promise<DeepReadonly<ExplanationView>>;
  /** Reports the rulings between two times. */
  reportRulings(principal: Principal, since: number, until: number): Promise<DeepReadonly<PolicyReportView>>;
  /** Rules past calls by a candidate policy set. Returns every fault if the candidate is invalid. */
  backtest(principal: Principal, wanted: NewBacktest, signal: AbortSignal): Promise<BacktestRun>;
}

/** The result of starting a backtest: its lines as they are computed, or the candidate's faults. */
export type BacktestRun =
  | { readonly kind: "running"; readonly lines: AsyncIterable<DeepReadonly<BacktestLine>> }
  | { readonly kind: "invalid"; readonly faults: readonly PolicyFault[] };

/** A fault in a policy file. */
export interface PolicyFault {
  readonly file: string;
  readonly line?: number;
  readonly sentence: string;
}

/** A deep readonly view, because the HTTP API only passes these values on. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;
