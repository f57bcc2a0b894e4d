import type { Change, JsonObject, OutcomeKind, Preview, RulingKind } from "@paraph/core";

/** A call as the API shows it to its requester, limited to the fields that an agent needs. */
export interface ApiCall {
  readonly call: string;
  /** One line that says what the call does. */
  readonly headline: string;
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
  readonly retryable?: boolean;
  readonly reason?: unknown;
  readonly refusal?: { readonly policies: readonly string[]; readonly sentence: string };
  readonly undo?: unknown;
  readonly instructions?: string;
  readonly successor?: string;
  readonly editedBy?: string;
  /** The plan or composite call that this call is a step of. */
  readonly parent?: { readonly call: string; readonly step: string };
  readonly resolution?: { readonly finding: "happened" | "not-happened"; readonly by: string };
  /** When and why an operator erased the payloads of the call. */
  readonly erased?: { readonly at: string; readonly by: string; readonly reason: string };
  readonly joinedDuplicate?: true;
}

interface ApiGuard {
  readonly id: string;
  readonly sentence: string;
  readonly quorum: number;
  readonly group?: string;
  readonly proof?: "passkey";
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

/** One step of a plan, with its preview and its outcome. */
export interface PlanStep {
  readonly step: string;
  /** One line that says what the step does. Missing if its input is not known yet. */
  readonly headline?: string;
  readonly capability: string;
  /**
   * `declined` means that the approvers approved the plan without this step. `skipped` means that an earlier step did
   * not succeed or left no value for this step.
   */
  readonly status: "planned" | "declined" | "skipped" | "open" | "closed";
  /**
   * The id of the step's call. It is absent until the plan reaches the step. `wait`, `receipt` and `undo` accept this
   * id.
   */
  readonly call?: string;
  readonly outcome?: { readonly kind: OutcomeKind; readonly code: string };
  readonly effect?: "read" | "write" | "destroy";
  readonly risk?: "low" | "medium" | "high" | "critical";
  readonly changes?: readonly Change[];
  /** The earlier steps that this step depends on. Paraph previews this step again after the earlier steps are done. */
  readonly dependsOn?: readonly string[];
}

/** A plan as the API shows it to its requester. */
export interface ApiPlan extends ApiCall {
  readonly steps: readonly PlanStep[];
}

/** The changes that a call or a plan would make in the current state, and the ruling that it would get. */
export interface PreviewResult {
  readonly capability: string;
  readonly ruling: RulingKind;
  /** The reason for the ruling, as a sentence. */
  readonly sentence: string;
  readonly policies: readonly string[];
  /** The approvals that the call would need, with the reasons. In a plan, `steps` names the steps that need them. */
  readonly guards?: readonly ApiGuard[];
  readonly checks?: readonly string[];
  readonly preview: Preview | null;
  /** The reason why Paraph cannot preview the call. Paraph would refuse such a call. */
  readonly fault?: { readonly code: string; readonly message: string };
}

/** The calls to count, and how to group them. */
export interface OutcomeFilter {
  readonly by?: "capability" | "adapter" | "principal" | "both";
  readonly capability?: string;
  readonly session?: string;
  /** The start of the period (default: seven days ago, at most thirty). ISO 8601. */
  readonly since?: string;
}

/** The outcomes of a group of calls. */
export interface OutcomeStatistics {
  readonly capability?: string;
  readonly adapter?: string;
  readonly principal?: string;
  readonly calls: number;
  readonly outcomes: Readonly<Partial<Record<OutcomeKind, number>>>;
  /** The share of performed calls that succeeded. Missing if no call was performed. */
  readonly successRate?: number;
  /** The time that all attempts of a call took together. */
  readonly actingMs?: { readonly p50: number; readonly p95: number };
  readonly meanMs: number;
  readonly retries: number;
  /** The amount spent, in minor units. */
  readonly spent: number;
  readonly tokens: { readonly input: number; readonly output: number };
  /** The most frequent reasons why calls did not succeed. */
  readonly codes: readonly {
    readonly outcome: OutcomeKind;
    readonly code: string;
    readonly calls: number;
    readonly lastAt: string;
  }[];
}

/** One event of a call as CloudEvents 1.0. It holds only ids, numbers, codes and commitments. */
export interface CallEvent {
  readonly specversion: "1.0";
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly subject: string;
  readonly data: JsonObject;
}

/** The progress of an attempt, as reported by its capability. */
export interface CallProgress {
  readonly attempt: number;
  /** The completed fraction, from 0 to 1. */
  readonly fraction?: number;
  /** One line for people. */
  readonly message?: string;
  /** The output since the last report. It is absent if the contract has sensitive fields. */
  readonly output?: string;
  /** The number of characters that came before `output` and that Paraph did not keep. */
  readonly leftOut?: number;
}

/** A capability as the list of capabilities shows it. */
export interface CapabilitySummary {
  readonly name: string;
  readonly version: number;
  readonly summary: string;
  readonly effect: "read" | "write" | "destroy";
  readonly risk: "low" | "medium" | "high" | "critical";
  readonly previews: boolean;
  /**
   * Set if Paraph does not perform the capability. Instead, the requester claims the call, performs it and reports the
   * result.
   */
  readonly performer?: "agent";
  readonly contractDigest: string;
}

/** The full contract of a capability, with the JSON Schemas of its input and output. */
export interface CapabilityContract extends CapabilitySummary {
  readonly idempotency: "natural" | "keyed" | "probe" | "none";
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly sensitive: readonly string[];
}
