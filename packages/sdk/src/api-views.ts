import type { Change, JsonObject, OutcomeKind, Preview } from "@paraph/core";

/** A call as the API shows it to who asked, as far as an agent has use for it. */
export interface ApiCall {
  readonly call: string;
  readonly capability: string;
  readonly state: string;
  readonly performer?: "agent";
  readonly key: string;
  readonly createdAt: string;
  readonly closedAt?: string;
  readonly outcome?: { readonly kind: OutcomeKind; readonly code: string };
  readonly waiting?: ApiWaiting;
  readonly input?: unknown;
  readonly preview: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly reason?: unknown;
  readonly refusal?: { readonly policies: readonly string[]; readonly sentence: string };
  readonly undo?: unknown;
  readonly instructions?: string;
  readonly successor?: string;
  readonly editedBy?: string;
  /** What this call is a step of. */
  readonly parent?: { readonly call: string; readonly step: string };
  readonly resolution?: { readonly finding: "happened" | "not-happened"; readonly by: string };
  readonly joined?: true;
}

interface ApiGuard {
  readonly id: string;
  readonly sentence: string;
  readonly quorum: number;
  readonly group?: string;
  readonly steps?: readonly string[];
}

interface ApiWaiting {
  readonly for:
    | "approval"
    | "check"
    | "lock"
    | "retry"
    | "thaw"
    | "agent"
    | "steps"
    | "performing"
    | "preview"
    | "stuck";
  readonly until?: string;
  readonly approval?: {
    readonly id: string;
    readonly fingerprint: string;
    readonly guards: readonly ApiGuard[];
  };
  readonly how: string;
}

/** One step of a plan: what was shown of it, and what became of it. */
export interface PlanStep {
  readonly step: string;
  readonly capability: string;
  /** `declined`: people approved the rest without it. `skipped`: one before it did not succeed, or left no value for it. */
  readonly status: "planned" | "declined" | "skipped" | "open" | "closed";
  /** Its call, once it was come to: `wait`, `receipt` and `undo` take it. */
  readonly call?: string;
  readonly outcome?: { readonly kind: OutcomeKind; readonly code: string };
  readonly effect?: "read" | "write" | "destroy";
  readonly risk?: "low" | "medium" | "high" | "critical";
  readonly changes?: readonly Change[];
  /** Earlier steps: it is looked at again once they are done. */
  readonly restsOn?: readonly string[];
}

export interface ApiPlan extends ApiCall {
  readonly steps: readonly PlanStep[];
}

/** What would become of a call or a plan, as things stand now. */
export interface PreviewResult {
  readonly capability: string;
  readonly ruling: "allow" | "check" | "ask" | "block";
  /** Why. */
  readonly sentence: string;
  readonly policies: readonly string[];
  /** Whom it would ask and why; `steps`: for which steps of a plan. */
  readonly guards?: readonly ApiGuard[];
  readonly checks?: readonly string[];
  readonly preview: Preview | null;
  /** What it would change cannot be told: it would be refused. */
  readonly fault?: { readonly code: string; readonly message: string };
}

/** One fact in the life of a call, as CloudEvents 1.0: ids, numbers, codes and commitments. */
export interface CallEvent {
  readonly specversion: "1.0";
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly subject: string;
  readonly data: JsonObject;
}

/** How far an attempt of a call is, as far as its capability tells. */
export interface CallProgress {
  readonly attempt: number;
  /** From 0 to 1. */
  readonly fraction?: number;
  /** One line for people. */
  readonly message?: string;
  /** What was put out since the last time; none where the contract has sensitive fields. */
  readonly output?: string;
  /** So much before it, in characters, was not kept. */
  readonly leftOut?: number;
}

export interface CapabilitySummary {
  readonly name: string;
  readonly version: number;
  readonly summary: string;
  readonly effect: "read" | "write" | "destroy";
  readonly risk: "low" | "medium" | "high" | "critical";
  readonly previews: boolean;
  /** Not performed by Paraph: who asks takes it, performs it itself and reports. */
  readonly performer?: "agent";
  readonly contractDigest: string;
}

/** What a capability promises, with the JSON Schemas of its input and output. */
export interface CapabilityContract extends CapabilitySummary {
  readonly idempotency: "natural" | "keyed" | "probe" | "none";
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly sensitive: readonly string[];
}
