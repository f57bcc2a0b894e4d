import type {
  ChatAccount,
  Contract,
  EnrolledPasskey,
  Freeze,
  FreezeKind,
  Grant,
  Json,
  Principal,
} from "@paraph/core";

/**
 * The services that the server provides to administrative capabilities. Each change is one transaction. A change is
 * safe to repeat, because the caller passes the id of the record to create.
 */
export interface Administration {
  readonly people: PeopleAdmin;
  readonly passkeys: PasskeyAdmin;
  readonly slack: SlackAdmin;
  readonly freezes: FreezeAdmin;
  readonly grants: GrantAdmin;
  readonly policies: PolicyAdmin;
  readonly pins: PinAdmin;
  /** Returns the contract of a capability that can be called in this tenant. */
  contract(tenant: string, name: string): Contract | undefined;
  hasAdapter(tenant: string, name: string): boolean;
}

/** The result of a change. `already` means that the change was made before. */
export type AdminChange = "done" | "already" | "unknown" | "owner-unknown" | "taken";

interface PeopleAdmin {
  find(tenant: string, id: string): Promise<Principal | undefined>;
  /** Whether the tenant has a person other than the given people. */
  hasOther(tenant: string, except: readonly string[]): Promise<boolean>;
  hasSignedIn(tenant: string, person: string): Promise<boolean>;
  /** Invites a person. Returns `taken` if the principal exists and either has signed in or is not a person. */
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
  /** Ends a person's sessions and returns their number. */
  endSessions(tenant: string, id: string): Promise<number>;
  countAccess(tenant: string, id: string): Promise<AccessCounts>;
  findMailAddress(tenant: string, person: string): Promise<string | undefined>;
  /** Sets or removes a person's mail address. */
  setMailAddress(tenant: string, person: string, address: string | undefined): Promise<AdminChange>;
}

interface PasskeyAdmin {
  find(tenant: string, credential: string): Promise<LabelledPasskey | undefined>;
  list(tenant: string, person: string): Promise<readonly LabelledPasskey[]>;
  /** Adds a passkey with its seal. Returns `taken` if the credential has another person or public key. */
  add(tenant: string, passkey: LabelledPasskey): Promise<AdminChange>;
  remove(tenant: string, credential: string): Promise<AdminChange>;
}

interface SlackAdmin {
  find(tenant: string, person: string): Promise<NamedSlackAccount | undefined>;
  /** Links an account with its seal. Returns `taken` if another person has the account. */
  link(tenant: string, account: NamedSlackAccount): Promise<AdminChange>;
  unlink(tenant: string, person: string): Promise<AdminChange>;
}

/** A Slack account with the names that Slack shows. */
export interface NamedSlackAccount extends ChatAccount {
  readonly teamName: string;
  readonly accountName: string;
}

/** A passkey with the name that its person gave it. */
export interface LabelledPasskey extends EnrolledPasskey {
  readonly label: string;
}

/** Counts for one principal: its valid keys and sessions, and the agents and services that it owns. */
export interface AccessCounts {
  readonly keys: number;
  readonly sessions: number;
  readonly agents: number;
}

export type GroupMember = Pick<Principal, "id" | "kind">;

/** An existing API key, without its secret. */
export interface KnownApiKey {
  readonly principal: string;
  readonly label?: string;
  readonly revoked: boolean;
}

/** The API key to create, with the hash of its secret. */
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
  /** Returns the calls that a freeze would affect. The result does not include calls that start after this query. */
  findImpact(tenant: string, kind: FreezeKind, subject: string): Promise<FreezeImpact>;
  find(tenant: string, id: string): Promise<(Freeze & { readonly thawed: boolean }) | undefined>;
  /** Lists the freezes in force, the oldest first. */
  list(tenant: string): Promise<readonly Freeze[]>;
  /** Creates the freeze. Returns every call whose attempt started before the freeze and has not ended. */
  freeze(tenant: string, freeze: Omit<Freeze, "at">): Promise<readonly InFlightCall[]>;
  countHeld(tenant: string, freeze: string): Promise<HeldCalls>;
  /** Lifts the freeze and wakes the calls that it held. Returns the number of these calls. */
  thaw(tenant: string, freeze: string, by: string): Promise<number>;
}

/** The calls that a freeze would affect. */
export interface FreezeImpact {
  /** The number of open calls that the freeze would hold before they act. The count stops at a maximum. */
  readonly held: number;
  /** The number of agents and services that the freeze would stop. */
  readonly agents: number;
  readonly inFlight: readonly InFlightCall[];
}

/** The numbers of the calls that a freeze in force holds. */
export interface HeldCalls {
  readonly held: number;
  /** Those that the freeze has stopped, and no other freeze holds. A thaw lets them continue at once. */
  readonly stopped: number;
  /** Those that another freeze holds too. */
  readonly heldByOthers: number;
}

/** A call that has an intent and no outcome, so it may be acting now. */
export interface InFlightCall {
  readonly call: string;
  readonly capability: string;
  readonly attempt: number;
  readonly at: number;
}

interface GrantAdmin {
  find(tenant: string, id: string): Promise<GrantState | undefined>;
  /** Creates a grant and returns its expiry. If a grant with this id exists, the method changes nothing. */
  create(tenant: string, grant: NewGrant, by: string): Promise<{ readonly expiresAt: number }>;
  revoke(tenant: string, id: string, by: string): Promise<AdminChange>;
  /** Returns the parts of a call that are needed to create a grant for one similar call. */
  findCall(tenant: string, call: string): Promise<GrantableCall | undefined>;
  /** Alerts operators that break-glass was used. The alert contains only ids. */
  alarm(about: { readonly tenant: string; readonly call: string }): void;
}

/** The state of an existing grant. */
export interface GrantState extends Pick<Grant, "capability" | "countLeft"> {
  readonly revoked: boolean;
}

/** A new grant. Its duration starts at its creation. */
export type NewGrant = Omit<Grant, "expiresAt" | "countLeft" | "amountLeft"> & {
  readonly count: number;
  readonly amount?: number;
  readonly lastsMs: number;
};

/** The parts of a call from which Paraph derives a grant for a similar call. */
export interface GrantableCall {
  readonly capability: string;
  readonly principal: string;
  /** [TRUST 16] The input as every person of the tenant may see it, because they all see the grant. */
  readonly shown: Json;
}

interface PolicyAdmin {
  /** Returns the version and the texts of the active policy set. */
  findActive(tenant: string): Promise<PolicyTexts>;
  /**
   * Combines the candidate with the active set. Returns the faults of an invalid candidate instead of throwing them.
   */
  prepare(tenant: string, candidate: PublishCandidate): Promise<PreparedPolicies>;
  /** Evaluates the calls of the last 30 days under the set. Returns undefined if the evaluation takes too long. */
  backtest(tenant: string, prepared: PreparedSet): Promise<BacktestSummary | undefined>;
  /** Activates the set. Once the promise resolves, Paraph no longer accepts or starts calls under any other set. */
  publish(tenant: string, id: string, prepared: PreparedSet, by: string): Promise<void>;
}

/** The texts and settings of a policy set. */
export interface PolicyTexts {
  readonly version: string;
  readonly preset: string;
  readonly sources: readonly PolicyText[];
  readonly unattended: readonly string[];
}

/** The text of one policy file, with the file name. */
export interface PolicyText {
  readonly file: string;
  readonly text: string;
}

/**
 * The candidate to publish: the version of a policy set that was active before, or changes to the active policy set.
 */
export type PublishCandidate =
  | { readonly version: string }
  | {
      readonly sources: readonly PolicyText[];
      readonly replace: boolean;
      readonly preset?: "permissive" | "balanced" | "strict" | undefined;
      readonly unattended?: readonly string[] | undefined;
      readonly checkLevels?: Readonly<Record<string, readonly string[]>> | undefined;
    };

/** The result of preparing a candidate. */
export type PreparedPolicies =
  | (PreparedSet & { readonly kind: "sound" })
  | { readonly kind: "faulty"; readonly faults: readonly LocatedSentence[] }
  /** No set of this version was ever active for the tenant. */
  | { readonly kind: "unknown" };

/** A valid candidate that can be published. */
export interface PreparedSet extends PolicyTexts {
  /** The findings of the linter. If `grave` is true, the author cannot have intended the reported effect. */
  readonly findings: readonly (LocatedSentence & { readonly grave: boolean })[];
  /** The set in its stored form. Only the server interprets it. */
  readonly document: unknown;
}

/** A sentence about a place in a policy file. */
export interface LocatedSentence {
  readonly file: string;
  readonly line?: number;
  readonly sentence: string;
}

/** A summary of the result of a backtest. */
export interface BacktestSummary {
  readonly since: number;
  readonly calls: number;
  /**
   * The number of calls whose ruling would differ. `byRuling` counts these calls for each pair of old and new ruling.
   */
  readonly changed: number;
  readonly byRuling: readonly {
    readonly was: string;
    readonly wouldBe: string;
    readonly calls: number;
    /** The number of these calls about which other people, or another number of people, would be asked. */
    readonly otherApprovers: number;
  }[];
  readonly notEvaluated: number;
  /** Whether the backtest covers only the newest calls, because there were more calls than a preview can evaluate. */
  readonly cutShort: boolean;
}

/** The methods for approving the descriptions that MCP servers provide. */
interface PinAdmin {
  /**
   * Lists the descriptions of an adapter's server that wait for approval. The list is empty if the adapter is not an
   * MCP server.
   */
  listPending(adapter: string): Promise<readonly PendingPin[]>;
  /**
   * Approves the descriptions that have not changed since the preview. Returns the ids of the given descriptions that
   * are approved afterwards.
   */
  approve(adapter: string, pins: readonly PinDigest[]): Promise<readonly string[]>;
  /**
   * Whether this tenant is the only one in the deployment. If it is not, `admin.mcp_approve` refuses. MCP servers
   * belong to the whole deployment, so an approval would affect the other tenants.
   */
  isOnlyTenant(tenant: string): Promise<boolean>;
}

/** The id and the digest of one description. */
export interface PinDigest {
  readonly id: string;
  readonly digest: string;
}

/** A description that waits for approval, with its difference from the approved one. */
export interface PendingPin extends PinDigest {
  readonly kind: "changed" | "new";
  /** `hidden-characters` or `instructions`. */
  readonly suspicions: readonly string[];
  readonly diff: string;
}
