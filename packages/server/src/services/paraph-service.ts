import type {
  Admission,
  Call,
  Caller,
  CallRef,
  CallRequest,
  CallState,
  Child,
  Contract,
  Decision,
  DecisionResult,
  draftEdit,
  Edit,
  Evaluated,
  Facades,
  Finding,
  Freeze,
  Grant,
  Guard,
  OutcomeKind,
  Principal,
  PublicKey,
  ReceiptBundle,
  RoundStatus,
} from "@paraph/core";
import type { PendingPin } from "../builtin/admin/index.ts";
import type { ExpectedRuling } from "../policy/expect-ruling.ts";
import type { PolicyService } from "../policy/policy-service.ts";
import type { Load, TenantFeed } from "../postgres/index.ts";
import type { ActivityFilter, ActivityPage } from "./activity.ts";
import type { ApproverService } from "./approver-service.ts";
import type { LoginService } from "./authentication.ts";
import type { CallActions } from "./call-actions.ts";
import type { IntentService } from "./intents.ts";
import type { NotificationService } from "./notifications.ts";
import type { ObservationService } from "./observation-service.ts";
import type { PasskeyService } from "./passkeys.ts";
import type { PrincipalService } from "./principals.ts";
import type { ProgressView } from "./progress-view.ts";
import type { SlackAccountService } from "./slack-accounts.ts";
import type { Statistics, StatisticsFilter } from "./statistics.ts";

/** The service behind the HTTP API, the pages and MCP. Every lookup takes the principal who reads. */
export interface ParaphService {
  /**
   * Returns the caller that the API key or token belongs to. Throws `identity-unavailable` if only an unreachable
   * issuer could identify the caller.
   */
  authenticate(bearer: string): Promise<Caller | undefined>;
  /** Returns the person that the browser session belongs to. */
  authenticateSession(session: string): Promise<Caller | undefined>;
  readonly login: LoginService;
  /** Admits a call and sends it to the engine. Throws core's ParaphError if the request is not a valid call. */
  requestCall(request: CallRequest): Promise<Admission>;
  /**
   * Returns a call that this principal may read. A person may read every call of the tenant. An agent or a service may
   * read only its own calls.
   */
  findCall(principal: Principal, call: string): Promise<Call | undefined>;
  /** Returns the calls that a composite or a plan has made. */
  listSteps(call: CallRef): Promise<readonly Child[]>;
  /** Understands requests in words. */
  readonly intents: IntentService;
  /** [P3] Returns what a call would change and how policy would rule. Writes nothing and asks no approver. */
  previewCall(request: CallRequest): Promise<Evaluated>;
  /** [P3] Returns what an edit of a waiting call would change and how policy would rule. Writes nothing. */
  previewEdit(edit: Omit<Edit, "reason">): ReturnType<typeof draftEdit>;
  /** Returns a page of calls, newest first. `next` is the call after which the next page starts. */
  listCalls(
    principal: Principal,
    filter: CallFilter,
  ): Promise<{ readonly calls: readonly CallSummary[]; readonly next?: string }>;
  /**
   * Resolves when the call's epoch exceeds the given one, when `ms` milliseconds have passed, or when the signal
   * aborts. It resolves with the call only if this process made the change.
   */
  waitForChange(
    principal: Principal,
    call: string,
    epoch: number,
    ms: number,
    signal?: AbortSignal,
  ): Promise<Call | undefined>;
  /**
   * Returns the progress of the call's attempt, with the epoch that the call had when the progress was read. The caller
   * of this function must first check that the reader may see the call.
   */
  readProgress(
    call: CallRef,
  ): Promise<{ readonly epoch: number; readonly progress: ProgressView | null } | undefined>;
  /** Yields the changes of the calls that this reader may see, as they happen. */
  readonly followEvents: TenantFeed["follow"];
  readonly observations: ObservationService;
  /** Returns how calls ended. A person reads the whole tenant; an agent or a service reads only its own calls. */
  readStatistics(reader: Principal, filter: StatisticsFilter): Promise<Statistics>;
  /** Returns the current load of the reader's tenant. */
  readLoad(reader: Principal): Promise<Load>;
  /** Returns approvals, which only people may read. A flood of open approvals is returned as one bundle. */
  listApprovals(
    principal: Principal,
    filter: ApprovalFilter,
  ): Promise<{
    readonly approvals: readonly ApprovalSummary[];
    readonly bundles: readonly ApprovalBundle[];
    readonly next?: string;
  }>;
  /** Returns the open approvals of one principal and one capability, newest first. */
  listFlood(principal: Principal, of: FloodKey, limit: number): Promise<readonly ApprovalSummary[]>;
  readonly actions: CallActions;
  readonly notifications: NotificationService;
  readonly passkeys: PasskeyService;
  /** The Slack accounts of people, if Slack is configured. */
  readonly slackAccounts?: SlackAccountService;
  findApproval(principal: Principal, approval: string): Promise<Call | undefined>;
  decide(decision: Decision): Promise<DecisionResult>;
  /** [TRUST 16] Returns the receipt. It discloses only the payloads that the principal may see in full. */
  findReceipt(principal: Principal, call: string): Promise<ReceiptBundle | undefined>;
  /** Returns activity, newest first. With `own`, it returns only what this reader requested or did. */
  listActivity(reader: Principal, own: boolean, filter: ActivityFilter): Promise<ActivityPage>;
  /** Returns the adapters that the tenant may use, with their current health. */
  listAdapters(tenant: string, signal: AbortSignal): Promise<readonly AdapterView[]>;
  /**
   * Returns the definitions of an MCP server that wait for approval. Returns undefined if the tenant has no adapter of
   * this name.
   */
  listPendingDefinitions(tenant: string, adapter: string): Promise<PendingDefinitions | undefined>;
  /** Returns the facades of MCP servers, by the name of their adapter. */
  getFacades(): Facades;
  /** Records that the requester has received the results of these calls. */
  markDelivered(tenant: string, calls: readonly string[]): Promise<void>;
  /** Returns the tenant's capabilities, sorted by name. The list object stays the same until the capabilities change. */
  listCapabilities(reader: Principal): readonly KnownCapability[];
  /** Returns how policy rules on calls of this principal, as far as the ruling does not depend on the call. */
  expectRuling(principal: Principal, contract: Contract): ExpectedRuling | undefined;
  /**
   * Returns the capabilities that policy may allow this principal. The list object stays the same until policy or
   * capabilities change.
   */
  listAllowedCapabilities(principal: Principal): readonly KnownCapability[];
  findCapability(tenant: string, name: string): KnownCapability | undefined;
  listPublicKeys(): readonly PublicKey[];
  readonly policy: PolicyService;
  readonly approver: ApproverService;
  readonly principals: PrincipalService;
  listGroups(reader: Principal, page: PageFilter): Promise<readonly GroupSummary[]>;
  listApiKeys(
    reader: Principal,
    page: PageFilter & { readonly principal?: string },
  ): Promise<readonly ApiKeySummary[]>;
  /** Returns the freezes in force in the reader's tenant. */
  listFreezes(reader: Principal): Promise<readonly FreezeView[]>;
  listGrants(reader: Principal): Promise<readonly Grant[]>;
  /** Returns each dependency of this process and whether it answers. */
  checkHealth(): Promise<Readonly<Record<string, boolean>>>;
}

/**
 * Selects a page of a list in the order of ids. The page has at most `limit` entries and starts after the id `after`.
 */
export interface PageFilter {
  readonly after?: string;
  readonly limit: number;
}

/** A freeze in force. */
export interface FreezeView extends Freeze {
  /** Whether the subject is a disabled principal. A person enables it instead of thawing it. */
  readonly disabled: boolean;
}

/** A group and its members. */
export interface GroupSummary {
  readonly group: string;
  readonly members: readonly string[];
}

/** An API key without its secret. */
export interface ApiKeySummary {
  readonly key: string;
  readonly principal: string;
  readonly scopes?: readonly string[];
  readonly label?: string;
  readonly createdBy?: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  readonly lastUsed?: number;
}

/** The filter of a list of calls. The list has at most `limit` calls, newest first. */
export interface CallFilter {
  readonly state?: "open" | "closed";
  readonly capability?: string;
  /** Only calls that this principal requested. */
  readonly principal?: string;
  /** Only calls with this id of a session of an agent. */
  readonly session?: string;
  /** Only calls of this thread of a session. */
  readonly thread?: string;
  /** Only calls whose requests carried this trace id. */
  readonly correlation?: string;
  /** Whether to return only calls with which the agent gave its state. */
  readonly hasState?: boolean;
  readonly outcome?: OutcomeKind;
  /** The start of the time in which the calls were created. */
  readonly since?: number;
  /** The end of that time. A call that was created at the end is not listed. */
  readonly until?: number;
  /** The id or the idempotency key of a call, the id of one of its approvals, or a part of its headline, its capability's name or its requester's id. */
  readonly q?: string;
  /**
   * Whether the listed calls must have a resolution of their unknown outcome. If false, only calls without a resolution
   * are listed. If unset, both are listed.
   */
  readonly resolved?: boolean;
  /** Whether to return only calls whose segments keep failing. */
  readonly stuck?: boolean;
  /** Only open calls that this freeze holds. */
  readonly heldBy?: string;
  /** Whether to include calls that are steps of another call. */
  readonly steps?: boolean;
  /** Only calls older than the call with this id. */
  readonly before?: string;
  /** `closed`: of the last 100 calls that closed, those that closed last come first, on one page. */
  readonly order?: "created" | "closed";
  readonly limit: number;
}

/** A call as listed, without payloads. */
export interface CallSummary {
  readonly call: string;
  /** Missing if the contract alone determines it, and for steps, because the reader may not see their details. */
  readonly headline?: string;
  readonly capability: string;
  readonly version: number;
  readonly principal: string;
  readonly state: CallState;
  readonly outcome?: { readonly kind: OutcomeKind; readonly code: string };
  /** The finding about an unknown outcome. */
  readonly finding?: Finding;
  /** The call that undoes this one, unless that call ended without an effect. */
  readonly undoneBy?: string;
  /** The outcome of the undo. Missing while the undo is open. */
  readonly undoOutcome?: OutcomeKind;
  readonly createdAt: number;
  readonly closedAt?: number;
  /** The code of the failure that keeps repeating. The call does not continue until a person lets it continue. */
  readonly stuck?: string;
  /** The call that this call is a step of. */
  readonly parent?: { readonly call: string; readonly step: string };
}

/** The filter of a list of approvals. The list has approvals of one status, newest first, at most `limit`. */
export interface ApprovalFilter {
  readonly status: RoundStatus;
  readonly before?: string;
  readonly limit: number;
}

/**
 * The requester and the capability that identify a flood. A flood has too many open approvals for a person to review
 * one by one.
 */
export interface FloodKey {
  readonly principal: string;
  readonly capability: string;
}

/** A flood: the number of all its approvals, and its newest approvals, newest first. */
export interface ApprovalBundle extends FloodKey {
  readonly count: number;
  readonly items: readonly ApprovalSummary[];
}

/** The maximum number of open approvals of one principal and one capability that Paraph lists individually. */
export const maxUnbundledApprovals = 5;

/** The maximum number of items in a bundle. One bulk decision also accepts at most this number of approvals. */
export const maxBundleItems = 100;

/** An approval as listed, without the call's payloads. */
export interface ApprovalSummary {
  readonly approval: string;
  readonly call: string;
  readonly round: number;
  readonly status: RoundStatus;
  readonly digest: string;
  /** Missing for steps, because the reader may not see their details. */
  readonly headline?: string;
  readonly capability: string;
  readonly principal: string;
  readonly guards: readonly Guard[];
  readonly votes: number;
  readonly askedAt: number;
  readonly expiresAt: number;
}

/** An adapter and its health. */
export interface AdapterView {
  readonly name: string;
  readonly kind: string;
  readonly state: "ready" | "degraded" | "unavailable";
  /** The code of the reason why the adapter is not ready. `message` explains the reason and the remedy. */
  readonly code?: string;
  readonly message?: string;
  /** When the adapter last answered this process, as ISO 8601. Missing if it has not answered yet. */
  readonly seenAt?: string;
  readonly capabilities: number;
  /** The digest over the contracts of all capabilities of the adapter. */
  readonly digest: string;
}

/** The definitions of an MCP server that wait for approval, and whether the tenant can approve them. */
export interface PendingDefinitions {
  readonly definitions: readonly PendingPin[];
  /** Whether no other tenant is concerned. */
  readonly approvable: boolean;
}

/** A capability of the catalog, as callers read it. */
export interface KnownCapability {
  readonly contract: Contract;
  readonly contractDigest: string;
  /** The reason why the capability cannot be used now. Missing if the capability can be used. */
  readonly unavailable?: { readonly code: string; readonly message: string };
}
