// Views of policy in the HTTP API, limited to the fields that the command line reads.
import type { RulingKind } from "@paraph/core";

export interface PolicyView {
  readonly version: string;
  readonly source: "configuration" | "published";
  /** The version of the configuration's policy set. */
  readonly configured?: string;
  readonly mode: "enforce" | "observe";
  readonly preset: string;
  readonly unattended: readonly string[];
  readonly policies: readonly {
    readonly id: string;
    readonly file: string;
    readonly line: number;
    readonly effect: "permit" | "forbid";
    readonly demands?: "ask" | "check";
    readonly quorum?: number;
    readonly group?: string;
    readonly proof?: "passkey";
    readonly shadow: boolean;
  }[];
}

export interface PolicyCount {
  readonly policy: string;
  readonly ruling: RulingKind;
  readonly calls: number;
}

export interface PolicyReportView {
  readonly since: string;
  readonly until: string;
  readonly calls: number;
  readonly enforced: number;
  readonly rulings: Readonly<Record<RulingKind, number>>;
  readonly byPolicy: readonly PolicyCount[];
  readonly byCapability: readonly (Omit<PolicyCount, "policy"> & { readonly capability: string })[];
  readonly shadow: { readonly calls: number; readonly byPolicy: readonly PolicyCount[] };
}

export interface HypotheticalRulingView {
  readonly kind: RulingKind;
  readonly policies: readonly string[];
  readonly code?: string;
}

export interface RulingView {
  readonly at: string;
  readonly moment: "admission" | "revalidation" | "intent";
  readonly ruling: RulingKind;
  readonly code?: string;
  readonly sentence?: string;
  readonly version: string;
  readonly inForce: boolean;
  readonly policies: readonly { readonly id: string; readonly sentence?: string }[];
  readonly satisfied: readonly {
    readonly policy: string;
    readonly by: string;
    readonly who: readonly string[];
  }[];
  readonly unmet: readonly { readonly policy?: string; readonly sentence: string }[];
  readonly asked?: {
    readonly principal: {
      readonly id: string;
      readonly kind: string;
      readonly owner?: string;
      readonly onBehalfOf?: string;
      readonly groups?: readonly string[];
    };
    readonly preview: boolean;
    readonly env?: Readonly<
      Record<"at" | "callsLastHour" | "callsLastDay" | "spentToday" | "deniedLastHour", number>
    >;
  };
  readonly observed?: HypotheticalRulingView;
  readonly shadow?: HypotheticalRulingView;
}

export interface ExplanationView {
  readonly call: string;
  readonly capability: string;
  readonly rulings: readonly RulingView[];
}

/** A number of people who must approve, and their group. */
export interface RequiredApproversView {
  readonly quorum: number;
  readonly group?: string;
}

export interface BacktestResultView {
  readonly kind: "result";
  readonly version: string;
  readonly since: string;
  readonly until: string;
  readonly calls: number;
  readonly evaluated: number;
  readonly changed: number;
  readonly unpreviewed: number;
  readonly byRuling: readonly {
    readonly was: RulingKind;
    readonly wouldBe: RulingKind;
    readonly calls: number;
    readonly otherPolicies: number;
    readonly otherApprovers: number;
  }[];
  readonly byPolicy: readonly {
    readonly policy: string;
    readonly wouldBe: RulingKind;
    readonly calls: number;
  }[];
  readonly notEvaluated: Readonly<Record<string, number>>;
  readonly differences: readonly {
    readonly call: string;
    readonly capability: string;
    readonly was: RulingKind;
    readonly wouldBe: RulingKind;
    readonly approvers?: {
      readonly was: readonly RequiredApproversView[];
      readonly wouldBe: readonly RequiredApproversView[];
    };
    readonly policies: readonly string[];
  }[];
}

export type BacktestLineView =
  | { readonly kind: "progress"; readonly done: number; readonly total: number }
  | BacktestResultView
  | { readonly kind: "failed"; readonly code: string };
