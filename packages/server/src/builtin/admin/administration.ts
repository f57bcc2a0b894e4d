import type { Contract, Freeze, FreezeKind, Grant, Json, Principal } from "@paraph/core";

/**
 * What administering needs of the rest; the server's wiring hands it over. Each change is one transaction and is safe to
 * repeat: what it creates is known by the id it is given.
 */
export interface Administration {
  readonly people: PeopleAdmin;
  readonly freezes: FreezeAdmin;
  readonly grants: GrantAdmin;
  readonly policies: PolicyAdmin;
  readonly pins: PinAdmin;
  /** What can be called here. */
  contract(tenant: string, name: string): Contract | undefined;
  hasAdapter(tenant: string, name: string): boolean;
}

/** What a change found. `already`: it was so before. */
export type AdminChange = "done" | "already" | "unknown" | "owner-unknown" | "taken";

interface PeopleAdmin {
  find(tenant: string, id: string): Promise<Principal | undefined>;
  /** Whether the tenant has a person besides these. */
  hasOther(tenant: string, except: readonly string[]): Promise<boolean>;
  hasSignedIn(tenant: string, person: string): Promise<boolean>;
  /** `taken`: there is such a principal, who has signed in or is no person. */
  invite(tenant: string, id: string, linkHash: string, lastingMs: number): Promise<AdminChange>;
  listMembers(tenant: string, group: string): Promise<readonly GroupMember[]>;
  add(principal: Principal): Promise<AdminChange>;
  addToGroup(tenant: string, group: string, principal: string): Promise<AdminChange>;
  removeFromGroup(tenant: string, group: string, principal: string): Promise<AdminChange>;
  findKey(tenant: string, id: string): Promise<KnownApiKey | undefined>;
  createKey(key: ApiKeyInput): Promise<AdminChange>;
  revokeKey(tenant: string, id: string): Promise<AdminChange>;
  disable(tenant: string, id: string, by: string): Promise<AdminChange>;
  enable(tenant: string, id: string): Promise<AdminChange>;
  /** Says how many there were. */
  endSessions(tenant: string, id: string): Promise<number>;
  countAccess(tenant: string, id: string): Promise<AccessCounts>;
}

/** How a principal gets in: keys and sessions in force, and the agents and services it owns. */
export interface AccessCounts {
  readonly keys: number;
  readonly sessions: number;
  readonly agents: number;
}

export type GroupMember = Pick<Principal, "id" | "kind">;

export interface KnownApiKey {
  readonly principal: string;
  readonly label?: string;
  readonly revoked: boolean;
}

export interface ApiKeyInput {
  readonly tenant: string;
  readonly id: string;
  readonly hash: string;
  readonly principal: string;
  readonly scopes?: readonly string[];
  readonly expiresAt?: number;
  readonly label?: string;
  readonly by: string;
}

interface FreezeAdmin {
  /** What a freeze of this would stop, as far as can be told beforehand. */
  findImpact(tenant: string, kind: FreezeKind, subject: string): Promise<FreezeImpact>;
  find(tenant: string, id: string): Promise<(Freeze & { readonly thawed: boolean }) | undefined>;
  /** Lists what had begun before: complete once it has answered. */
  freeze(tenant: string, freeze: Omit<Freeze, "at">): Promise<readonly InFlightCall[]>;
  /** How many parked calls nothing would hold any more. */
  countHeld(tenant: string, freeze: string): Promise<number>;
  /** Thaws and wakes what it held; says how many calls that were. */
  thaw(tenant: string, freeze: string, by: string): Promise<number>;
}

export interface FreezeImpact {
  /** Open calls that would park before acting; counted up to a bound. */
  readonly open: number;
  readonly inFlight: readonly InFlightCall[];
}

/** A call with an intent and no outcome: it may be acting at this moment. */
export interface InFlightCall {
  readonly call: string;
  readonly capability: string;
  readonly attempt: number;
  readonly at: number;
}

interface GrantAdmin {
  find(tenant: string, id: string): Promise<GrantState | undefined>;
  /** The same id again changes nothing. Answers with the grant's end. */
  create(tenant: string, grant: NewGrant, by: string): Promise<{ readonly expiresAt: number }>;
  revoke(tenant: string, id: string, by: string): Promise<AdminChange>;
  /** A call as far as a grant for the like of it is concerned. */
  findCall(tenant: string, call: string): Promise<GrantableCall | undefined>;
  /** Somebody has broken the glass: told where operators look, by ids alone. */
  alarm(about: { readonly tenant: string; readonly call: string }): void;
}

export interface GrantState extends Pick<Grant, "capability" | "countLeft"> {
  readonly revoked: boolean;
}

/** Its time begins when it is made. */
export type NewGrant = Omit<Grant, "expiresAt" | "countLeft" | "amountLeft"> & {
  readonly count: number;
  readonly amount?: number;
  readonly lastsMs: number;
};

export interface GrantableCall {
  readonly capability: string;
  readonly principal: string;
  readonly input: Json;
}

interface PolicyAdmin {
  /** Digest and texts of the set in force. */
  findActive(tenant: string): Promise<PolicyTexts>;
  /** What would be in force: the candidate laid over what is. Never throws for what is wrong with the candidate. */
  prepare(tenant: string, candidate: PublishCandidate): Promise<PreparedPolicies>;
  /** What the calls of the last 30 days would have met; nothing where that cannot be told in time. */
  backtest(tenant: string, prepared: PreparedSet): Promise<BacktestSummary | undefined>;
  /** Puts it in force: once this has answered, nothing is accepted or begun under another. */
  publish(tenant: string, id: string, prepared: PreparedSet, by: string): Promise<void>;
}

export interface PolicyTexts {
  readonly version: string;
  readonly preset: string;
  readonly sources: readonly PolicyText[];
  readonly unattended: readonly string[];
}

export interface PolicyText {
  readonly file: string;
  readonly text: string;
}

/** Either a set that was in force before, or what is to change about the one that is. */
export type PublishCandidate =
  | { readonly version: string }
  | {
      readonly sources: readonly PolicyText[];
      readonly instead: boolean;
      readonly preset?: "permissive" | "balanced" | "strict" | undefined;
      readonly unattended?: readonly string[] | undefined;
      readonly checkLevels?: Readonly<Record<string, readonly string[]>> | undefined;
    };

export type PreparedPolicies =
  | (PreparedSet & { readonly kind: "sound" })
  | { readonly kind: "faulty"; readonly faults: readonly LocatedSentence[] }
  /** No set of this version was ever in force for the tenant. */
  | { readonly kind: "unknown" };

export interface PreparedSet extends PolicyTexts {
  /** What a careful reader would remark on; `grave`: it cannot have been meant. */
  readonly findings: readonly (LocatedSentence & { readonly grave: boolean })[];
  /** The set as it is stored: the wiring's own. */
  readonly document: unknown;
}

export interface LocatedSentence {
  readonly file: string;
  readonly line?: number;
  readonly sentence: string;
}

export interface BacktestSummary {
  readonly since: number;
  readonly calls: number;
  /** How many would have gone another way, and how. */
  readonly changed: number;
  readonly moves: readonly { readonly was: string; readonly wouldBe: string; readonly calls: number }[];
  readonly unjudged: number;
  /** There were more than a preview can look at: only the newest were. */
  readonly cutShort: boolean;
}

/** What MCP servers say of themselves, as people approved it. */
interface PinAdmin {
  /** What of an adapter's server waits for a person; nothing of one that is none. */
  listPending(adapter: string): Promise<readonly PendingPin[]>;
  /** Approves what is still as it was looked at, and says which of these are approved now. */
  approve(adapter: string, pins: readonly PinDigest[]): Promise<readonly string[]>;
  /** Servers are the deployment's: whether nobody outside of the tenant uses them. */
  isOnlyTenant(tenant: string): Promise<boolean>;
}

export interface PinDigest {
  readonly id: string;
  readonly digest: string;
}

export interface PendingPin extends PinDigest {
  readonly kind: "changed" | "new";
  /** `hidden-characters`, `instructions`. */
  readonly suspicions: readonly string[];
  readonly diff: string;
}
