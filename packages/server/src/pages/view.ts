import type {
  CallState,
  CheckResult,
  Contract,
  Guard,
  Json,
  Outcome,
  OutcomeKind,
  Preview,
  Principal,
  RoundStatus,
} from "@paraph/core";

/** Everything the approval page says, as this reader may see it. Times are milliseconds since 1970. */
export interface ApprovalPage {
  readonly now: number;
  readonly reader: Reader;
  readonly approval: string;
  readonly call: string;
  readonly round: number;
  readonly status: RoundStatus;
  /** [P5] What exactly an answer counts for. */
  readonly digest: string;
  readonly askedAt: number;
  readonly expiresAt: number;
  readonly capability: string;
  /** Missing if this server no longer has the contract that was asked under. */
  readonly contract?: Pick<Contract, "version" | "summary" | "effect" | "risk">;
  readonly asker: Asker;
  /** Missing once it was erased. */
  readonly input?: Json;
  /** `hidden`: there is one, and this reader may not see any of it. */
  readonly preview: Preview | "none" | "hidden";
  /** The asker's own words. */
  readonly purpose?: string;
  readonly guards: readonly Guard[];
  readonly votes: readonly PageVote[];
  readonly checks: readonly CheckResult[];
  readonly history?: History;
  /** Paths of the sensitive fields this reader does not see. */
  readonly masked: readonly string[];
  readonly state: CallState;
  readonly outcome?: Outcome;
  /** Why the last to decide decided so. */
  readonly reason?: string;
  /** The reader has opened it: nothing is folded. */
  readonly opened: boolean;
  /** [TRUST 6] A yes of this reader is wanted, and not on offer before they have opened it. */
  readonly mustOpen: boolean;
  readonly forms: Forms;
}

export type Asker = Pick<Principal, "id" | "kind" | "owner" | "onBehalfOf">;

export interface Reader {
  readonly id: string;
  /** Whether their yes would count, and if not, why. */
  readonly standing: Standing;
}

/** `confirmation`: nobody else can be asked, so the owner's own yes counts, as such. */
export type Standing = "approver" | "confirmation" | "own-call" | "not-in-group";

export interface PageVote {
  readonly by: string;
  readonly decision: "approve" | "deny" | "return";
  readonly as: "approver" | "confirmation";
  readonly at: number;
  readonly groups?: readonly string[];
}

/** What this asker has done with this capability before. */
export interface History {
  readonly outcomes: Readonly<Partial<Record<OutcomeKind, number>>>;
  readonly lastDeniedAt?: number;
  /** How far back was looked: so many calls, and there are more. */
  readonly newest?: number;
}

/** The forms this page may offer, each with the proof that it was on a page shown to this reader. */
export interface Forms {
  readonly deny?: string;
  readonly approve?: string;
  readonly reveal?: string;
}

export interface InboxPage {
  readonly now: number;
  readonly reader: string;
  readonly items: readonly InboxItem[];
  /** Where the next page begins, if there is one. */
  readonly next?: string;
}

export interface InboxItem {
  readonly approval: string;
  readonly capability: string;
  readonly contract?: Pick<Contract, "summary" | "risk">;
  readonly asker: Pick<Asker, "id" | "owner">;
  readonly guards: readonly Guard[];
  readonly votes: number;
  readonly expiresAt: number;
  /** Why it is not the reader's turn; missing: it is. */
  readonly notYours?: "own-call" | "not-in-group" | "voted";
}

/** A page that says one thing and where to go on. */
export interface NoticePage {
  readonly reader?: string;
  readonly title: string;
  readonly text: string;
  readonly link?: { readonly href: string; readonly text: string };
}
