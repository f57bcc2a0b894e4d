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
  Evaluated,
  Freeze,
  Grant,
  Guard,
  OutcomeKind,
  Principal,
  PublicKey,
  ReceiptBundle,
  RoundStatus,
} from "@paraph/core";
import type { ProgressView } from "../../http/views/progress.ts";
import type { ActivityFilter, ActivityPage } from "../activity.ts";
import type { Statistics, StatisticsFilter } from "../statistics.ts";
import type { ApproverService } from "./approver-types.ts";
import type { CallActions } from "./call-action-types.ts";
import type { LoginService } from "./login-types.ts";
import type { ObservationService } from "./observation-types.ts";
import type { PolicyService } from "./policy-types.ts";

/** What the HTTP surface needs of the rest; `main.ts` hands it over. Every look-up is made as somebody. */
export interface ParaphService {
  /** Whose API key or token this is. Throws `identity-unavailable` where only an issuer that does not answer could say. */
  authenticate(bearer: string): Promise<Caller | undefined>;
  /** Whose browser session this is: a person's. */
  authenticateSession(session: string): Promise<Caller | undefined>;
  readonly login: LoginService;
  /** Admits a call and hands it to the engine. Throws core's ParaphError for what is not a call at all. */
  requestCall(request: CallRequest): Promise<Admission>;
  /** A call this principal may see: its own, or, for a person, any of the tenant. */
  findCall(principal: Principal, call: string): Promise<Call | undefined>;
  /** The calls that this one has made, where it is a composite. */
  listSteps(call: CallRef): Promise<readonly Child[]>;
  /** [P3] What a call would change and what policy would say of it: nothing is written, nobody is asked. */
  previewCall(request: CallRequest): Promise<Evaluated>;
  listCalls(principal: Principal, filter: CallFilter): Promise<readonly CallSummary[]>;
  /** Resolves when the call has moved past this epoch (with it, if it is at hand), or after `ms`, or when the signal aborts. */
  waitForChange(
    principal: Principal,
    call: string,
    epoch: number,
    ms: number,
    signal?: AbortSignal,
  ): Promise<Call | undefined>;
  /** How far a call's attempt is, with the call's epoch at that moment. For who has found the call. */
  readProgress(
    call: CallRef,
  ): Promise<{ readonly epoch: number; readonly said: ProgressView | null } | undefined>;
  readonly observations: ObservationService;
  /** How calls ended: of people's whole tenant, of anyone else's own. */
  readStatistics(reader: Principal, filter: StatisticsFilter): Promise<Statistics>;
  /** People only. A flood of open ones comes as a bundle. */
  listApprovals(
    principal: Principal,
    filter: ApprovalFilter,
  ): Promise<{
    readonly approvals: readonly ApprovalSummary[];
    readonly bundles: readonly ApprovalBundle[];
    readonly next?: string;
  }>;
  /** The open ones of one principal for one capability, newest first. */
  listFlood(principal: Principal, of: FloodKey, limit: number): Promise<readonly ApprovalSummary[]>;
  readonly actions: CallActions;
  findApproval(principal: Principal, approval: string): Promise<Call | undefined>;
  decide(decision: Decision): Promise<DecisionResult>;
  findReceipt(principal: Principal, call: string): Promise<ReceiptBundle | undefined>;
  /** What was done, newest first. `own`: nothing but what this reader asked for or did. */
  listActivity(reader: Principal, own: boolean, filter: ActivityFilter): Promise<ActivityPage>;
  /** Where those come from, and how the sources are, asked now. */
  listAdapters(tenant: string, signal: AbortSignal): Promise<readonly AdapterView[]>;
  /** By name. */
  listCapabilities(reader: Principal): readonly KnownCapability[];
  /** Without those that policy can never allow this principal. The same list until policy or capabilities change. */
  listAllowedCapabilities(principal: Principal): readonly KnownCapability[];
  findCapability(tenant: string, name: string): KnownCapability | undefined;
  listPublicKeys(): readonly PublicKey[];
  readonly policy: PolicyService;
  readonly approver: ApproverService;
  /** Who is here, of the reader's own tenant. */
  listPrincipals(reader: Principal, page: PageFilter): Promise<readonly PrincipalSummary[]>;
  listGroups(reader: Principal, page: PageFilter): Promise<readonly GroupSummary[]>;
  listApiKeys(
    reader: Principal,
    page: PageFilter & { readonly principal?: string },
  ): Promise<readonly ApiKeySummary[]>;
  /** Those in force in the reader's own tenant. */
  listFreezes(reader: Principal): Promise<readonly Freeze[]>;
  listGrants(reader: Principal): Promise<readonly Grant[]>;
  /** Each part this process needs, and whether it answers. */
  checkHealth(): Promise<Readonly<Record<string, boolean>>>;
}

/** In the order of ids, those after one of them. */
export interface PageFilter {
  readonly after?: string;
  readonly limit: number;
}

export interface PrincipalSummary extends Pick<Principal, "id" | "kind" | "owner"> {
  readonly groups: readonly string[];
  readonly createdAt: number;
  /** Missing unless it is disabled. */
  readonly disabledAt?: number;
}

export interface GroupSummary {
  readonly group: string;
  readonly members: readonly string[];
}

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

export interface CallFilter {
  readonly state?: "open" | "closed";
  readonly capability?: string;
  readonly outcome?: OutcomeKind;
  /** Whether somebody has found out about an unknown outcome. */
  readonly resolved?: boolean;
  /** Only those whose segments keep failing. */
  readonly stuck?: boolean;
  /** False: without those that are steps of another. */
  readonly steps?: boolean;
  /** Calls older than this id. */
  readonly before?: string;
  readonly limit: number;
}

export interface CallSummary {
  readonly call: string;
  readonly capability: string;
  readonly version: number;
  readonly principal: string;
  readonly state: CallState;
  readonly outcome?: { readonly kind: OutcomeKind; readonly code: string };
  readonly createdAt: number;
  readonly closedAt?: number;
  /** Why its segments keep failing: a person has to let it go on. */
  readonly stuck?: string;
  /** What it is a step of. */
  readonly parent?: { readonly call: string; readonly step: string };
}

export interface ApprovalFilter {
  readonly status: RoundStatus;
  readonly before?: string;
  readonly limit: number;
}

/** More open questions than a person looks at one by one: whose they are, and about what. */
export interface FloodKey {
  readonly principal: string;
  readonly capability: string;
}

/** A flood with its newest items, newest first, and how many there are. */
export interface ApprovalBundle extends FloodKey {
  readonly count: number;
  readonly items: readonly ApprovalSummary[];
}

/** So many of one principal for one capability are still looked at one by one. */
export const maxUnbundledApprovals = 5;

/** A bundle's items come with it, so many at most: as many as can be decided at once. */
export const maxBundleItems = 100;

export interface ApprovalSummary {
  readonly approval: string;
  readonly call: string;
  readonly round: number;
  readonly status: RoundStatus;
  readonly digest: string;
  readonly capability: string;
  readonly principal: string;
  readonly guards: readonly Guard[];
  readonly votes: number;
  readonly askedAt: number;
  readonly expiresAt: number;
}

export interface AdapterView {
  readonly name: string;
  readonly kind: string;
  readonly state: "ready" | "degraded" | "unavailable";
  /** Why it is not ready, and what to do about it. */
  readonly code?: string;
  readonly message?: string;
  readonly capabilities: number;
  /** Over the contracts of everything it offers. */
  readonly digest: string;
}

export interface KnownCapability {
  readonly contract: Contract;
  readonly contractDigest: string;
  /** Why it cannot be used for now. */
  readonly unavailable?: { readonly code: string; readonly message: string };
}
