// Views of the HTTP API, limited to the fields that the command line reads.
import type {
  CallState,
  Change,
  CheckResult,
  Json,
  NotUndone,
  Outcome,
  RoundStatus,
  RulingKind,
  StepPreview,
} from "@paraph/core";

export interface RequesterView {
  readonly id: string;
  readonly kind: string;
  readonly owner?: string;
  readonly onBehalfOf?: string;
}

export interface GuardView {
  readonly id: string;
  readonly sentence: string;
  readonly quorum: number;
  readonly group?: string;
  readonly proof?: "passkey";
  readonly steps?: readonly string[];
}

export interface PreviewView {
  readonly changes: readonly Change[];
  readonly basis: Json;
  readonly steps?: readonly StepPreview[];
}

export interface CallView {
  readonly call: string;
  readonly headline: string;
  readonly capability: string;
  readonly version: number;
  readonly state: CallState;
  readonly principal: RequesterView;
  readonly performer?: "agent";
  readonly key: string;
  readonly session: { readonly session?: string; readonly thread?: string };
  readonly createdAt: string;
  readonly closedAt?: string;
  readonly outcome?: Outcome;
  readonly waiting?: {
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
      readonly expiresAt: string;
      readonly digest: string;
      readonly fingerprint: string;
      readonly guards: readonly GuardView[];
    };
  };
  readonly input?: Json;
  readonly purpose?: { readonly text: string };
  readonly compressedState?: { readonly text: string };
  readonly words?: { readonly words: string };
  readonly previewed: boolean;
  readonly preview: PreviewView | null;
  readonly output?: Json;
  readonly error?: Json;
  readonly refusal?: { readonly policies: readonly string[]; readonly sentence: string };
  readonly reason?: Json;
  readonly undo?: { readonly capability: string; readonly input: Json };
  readonly approval?: { readonly id: string; readonly round: number; readonly status: RoundStatus };
  readonly masked: readonly string[];
  readonly instructions?: string;
  readonly supersedes?: string;
  readonly successor?: string;
  readonly editedBy?: string;
  readonly parent?: ParentView;
  readonly resolution?: { readonly finding: string; readonly by: string };
  readonly erased?: { readonly at: string; readonly by: string; readonly reason: string };
  readonly joinedDuplicate?: true;
  readonly links?: { readonly plan?: string; readonly retry?: string; readonly undo?: string };
}

/** The plan or composite that a call is a step of. */
export interface ParentView {
  readonly call: string;
  readonly step: string;
}

export interface PlanView extends CallView {
  readonly steps: readonly StepView[];
}

export interface StepView
  extends Partial<
    Pick<
      StepPreview,
      "headline" | "effect" | "risk" | "cost" | "inputKnown" | "previewed" | "dependsOn" | "visibility"
    >
  > {
  readonly step: string;
  readonly capability: string;
  readonly status: "planned" | "declined" | "skipped" | "open" | "closed";
  readonly call?: string;
  readonly state?: CallState;
  readonly outcome?: Outcome;
  readonly changes?: readonly Change[];
  /** The ids of the guards that require approval of the step. */
  readonly asks?: readonly string[];
}

/** The preview and the ruling of a call or a plan. */
export interface PreviewResultView {
  readonly capability: string;
  readonly ruling: RulingKind;
  readonly sentence: string;
  readonly policies: readonly string[];
  readonly guards?: readonly GuardView[];
  readonly checks?: readonly string[];
  readonly preview: PreviewView | null;
  readonly fault?: { readonly code: string; readonly message: string };
}

/** The result of a request in words. */
export type IntentView =
  | PlannedIntentView
  | { readonly kind: "question"; readonly questions: readonly IntentQuestionView[] }
  | { readonly kind: "no"; readonly code: string; readonly message: string };

export interface PlannedIntentView {
  readonly kind: "plan";
  readonly plan: {
    readonly steps: readonly {
      readonly id: string;
      readonly capability: string;
      readonly input: { readonly $literal: Json };
    }[];
  };
  readonly fingerprint: string;
  readonly intent: object;
  readonly preview: PreviewResultView;
}

export interface IntentQuestionView {
  readonly code: string;
  readonly step: number;
  readonly field?: string;
  readonly message: string;
  readonly options?: readonly string[];
}

export interface MessageView {
  readonly message: string;
  readonly seq: number;
  readonly by: string;
  readonly kind: "comment" | "question" | "answer";
  readonly at: string;
  readonly text?: string;
}

export interface NoticeView {
  readonly notice: string;
  readonly kind: "request" | "reminder" | "escalation" | "outcome";
  readonly recipient: string;
  readonly channel: string;
  readonly state: "waiting" | "sent" | "coalesced" | "dropped" | "given-up";
  readonly code?: string;
  readonly sentAt?: string;
  readonly openedAt?: string;
}

export interface CallSummaryView {
  readonly call: string;
  readonly headline: string;
  readonly capability: string;
  readonly version: number;
  readonly principal: string;
  readonly state: CallState;
  readonly outcome?: Outcome;
  readonly createdAt: string;
  readonly closedAt?: string;
  readonly undoneBy?: string;
  readonly undoOutcome?: string;
  readonly stuck?: string;
  readonly parent?: ParentView;
}

/** Whether the reader's approval would count and, if not, why. */
export type VoterView =
  | "approver"
  | "confirmation"
  | "own-call"
  | "own-edit"
  | "not-in-group"
  | "reassigned"
  | "represented";

export interface RoundView {
  readonly kind: "round";
  /** Only people read it, in an open round. */
  readonly voter?: VoterView;
  /** Whether the person's approval needs a passkey, which only the approval's page can use. */
  readonly needsPasskey?: true;
  readonly approval: string;
  readonly call: string;
  readonly round: number;
  readonly status: RoundStatus;
  /** The code with which this round became void or, if it is a later round, with which the one before did. */
  readonly voidCode?: string;
  readonly digest: string;
  readonly fingerprint: string;
  readonly expiresAt: string;
  readonly headline: string;
  readonly capability: string;
  readonly contract: {
    readonly version: number;
    readonly summary: string;
    readonly effect: string;
    readonly risk: string;
  } | null;
  readonly principal: RequesterView;
  readonly input?: Json;
  readonly previewed: boolean;
  readonly preview: PreviewView | null;
  readonly purpose?: { readonly text: string };
  readonly compressedState?: { readonly text: string };
  readonly guards: readonly GuardView[];
  readonly votes: readonly {
    readonly by: string;
    readonly decision: "approve" | "deny" | "return";
    readonly as: "approver" | "confirmation";
    readonly at: string;
    /** The groups of the guards in which the vote counts. */
    readonly groups?: readonly string[];
  }[];
  readonly checks: readonly CheckResult[];
  readonly notUndone: readonly NotUndone[];
  readonly declined?: readonly string[];
  readonly editedBy?: string;
  readonly parent?: ParentView;
  readonly masked: readonly string[];
}

/** Several open approvals for the same requesting principal and the same capability. */
export interface BundleView {
  readonly principal: string;
  readonly capability: string;
  readonly count: number;
  readonly items: readonly ApprovalSummaryView[];
}

export interface PastRoundView {
  readonly kind: "past-round";
  readonly approval: string;
  readonly call: string;
  readonly status: "void";
  readonly newest: string;
}

export interface ApprovalSummaryView {
  readonly approval: string;
  readonly call: string;
  readonly round: number;
  readonly status: RoundStatus;
  readonly headline: string;
  readonly capability: string;
  readonly principal: string;
  readonly fingerprint: string;
  readonly guards: readonly GuardView[];
  readonly votes: number;
  readonly voter?: VoterView | "voted";
  readonly askedAt: string;
  readonly expiresAt: string;
}

/** One event of a call, as CloudEvents 1.0. */
export interface CloudEventView {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly data: { readonly [name: string]: Json };
}

export interface ActivityView {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  readonly call: string;
  readonly plan?: string;
  readonly step?: string;
  readonly capability: string;
  readonly principal: string;
  readonly by?: string;
  readonly to?: string;
  readonly outcome?: string;
  readonly code?: string;
  readonly finding?: string;
  readonly declined?: readonly string[];
}

/** An adapter in `GET /v1/adapters`. */
export interface AdapterView {
  readonly name: string;
  readonly kind: string;
  readonly state: "ready" | "degraded" | "unavailable";
  readonly code?: string;
  readonly message?: string;
  readonly capabilities: number;
}

/** An observation in `GET /v1/observations`. */
export interface ObservationView {
  readonly seq: number;
  readonly adapter: string;
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly at?: string;
  readonly observedAt: string;
}

/** The polling status of an adapter in `GET /v1/polls`. */
export interface PollStatusView {
  readonly adapter: string;
  readonly polledAt?: string;
  readonly nextAt: string;
  readonly failures: number;
  readonly code?: string;
}

/** The current load of the tenant in `GET /v1/load`. */
export interface LoadView {
  readonly at: string;
  readonly outcomes: { readonly seconds: number; readonly counts: Readonly<Record<string, number>> };
  readonly approvals: {
    readonly count: number;
    readonly oldestMs?: number;
    readonly byAge: readonly { readonly from: number; readonly to?: number; readonly count: number }[];
  };
  readonly due: { readonly count: number; readonly oldestMs?: number };
  readonly stuck: number;
  readonly unknown: number;
  readonly locksHeld: number;
  readonly adapters: {
    readonly seconds: number;
    readonly slowest: readonly {
      readonly adapter: string;
      readonly calls: number;
      readonly p50Ms: number;
      readonly p95Ms: number;
    }[];
  };
}

/** Statistics of calls in `GET /v1/statistics`. */
export interface StatisticsView {
  readonly since: string;
  readonly statistics: readonly {
    readonly capability?: string;
    readonly adapter?: string;
    readonly principal?: string;
    readonly codes: readonly { readonly outcome: string; readonly code: string }[];
    readonly calls: number;
    readonly successRate?: number;
    readonly actingMs?: { readonly p50: number; readonly p95: number };
    readonly retries: number;
    readonly spent: number;
    readonly tokens: { readonly input: number; readonly output: number };
  }[];
  readonly errors: readonly {
    readonly call: string;
    readonly capability: string;
    readonly outcome: string;
    readonly code: string;
    readonly at: string;
  }[];
}
