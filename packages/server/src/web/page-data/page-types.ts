import type {
  CallState,
  Change,
  CheckResult,
  Contract,
  Effect,
  Guard,
  Json,
  NotUndone,
  Outcome,
  OutcomeKind,
  Preview,
  Principal,
  Risk,
  RoundStatus,
} from "@paraph/core";

/** Everything the approval page says, as this reader may see it. Times are milliseconds since 1970. */
export interface ApprovalPage {
  readonly now: number;
  readonly reader: PageReader;
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
  readonly contract?: Pick<Contract, "version" | "summary" | "effect" | "risk" | "performer">;
  readonly asker: PageRequester;
  /** Missing once it was erased. */
  readonly input?: Json;
  /** `hidden`: there is one, and this reader may not see any of it. */
  readonly preview: Preview | "none" | "hidden";
  /** The asker's own words. */
  readonly purpose?: string;
  readonly guards: readonly Guard[];
  readonly votes: readonly PageVote[];
  readonly checks: readonly CheckResult[];
  /** The effects that an undo does not take back. */
  readonly notUndone: readonly NotUndone[];
  readonly history?: PageHistory;
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
  readonly forms: PageForms;
  /** What people and the agent said about it, the oldest first. */
  readonly messages: readonly PageMessage[];
  /** What the round before was shown, where this one was asked because that moved. */
  readonly earlier?: Preview;
  /** The person who edited it, if it is an edit. */
  readonly editedBy?: string;
  /** What took its place: the page of that question, if people are asked about it. */
  readonly successor?: { readonly href?: string; readonly by?: string };
  /** What is asked for beside a yes. */
  readonly answerRequest?: AnswerRequest;
  /** What it is made of, where that is steps. */
  readonly plan?: PagePlan;
  /** What it is a step of. */
  readonly parent?: { readonly step: string; readonly href: string };
}

/** [P13] Steps that are asked about as one. */
export interface PagePlan {
  /** The asker's own words. */
  readonly title?: string;
  readonly onFailure?: "stop" | "continue" | "compensate";
  readonly steps: readonly PageStep[];
}

export interface PageStep {
  readonly id: string;
  readonly capability: string;
  readonly summary?: string;
  readonly effect?: Effect;
  readonly risk?: Risk;
  /** As the plan writes it and this reader may see it; missing once it was erased. */
  readonly input?: Json;
  readonly changes: readonly Change[];
  readonly seen: boolean;
  readonly known: boolean;
  readonly restsOn: readonly string[];
  /** What it says it comes after, where it says so. */
  readonly after?: readonly string[];
  readonly cost: number;
  /** Its detail is for others. */
  readonly hidden: boolean;
  /** Who has approved the rest without it. */
  readonly declinedBy: readonly string[];
  readonly status: "planned" | "declined" | "skipped" | "open" | "closed";
  readonly state?: CallState;
  readonly outcome?: Outcome;
  /** The page of its own call. */
  readonly href?: string;
  readonly editHref?: string;
}

/** What a page says of the matter itself. */
export type ChangesSectionData = Pick<
  ApprovalPage,
  "input" | "preview" | "contract" | "masked" | "opened" | "mustOpen" | "plan"
> &
  Partial<Pick<ApprovalPage, "approval" | "digest" | "forms">>;

/** A call that nobody was asked about. */
export interface CallPage
  extends Pick<
    ApprovalPage,
    | "call"
    | "capability"
    | "contract"
    | "asker"
    | "input"
    | "preview"
    | "masked"
    | "state"
    | "outcome"
    | "plan"
    | "parent"
  > {
  readonly reader: string;
  readonly createdAt: number;
}

/** An answer that a capability asks people for. `json`: whatever the capability takes. */
export type AnswerRequest =
  | { readonly kind: "confirm" | "text" | "json"; readonly question?: string }
  | { readonly kind: "choice"; readonly question?: string; readonly options: readonly string[] };

export interface PageMessage {
  readonly by: string;
  readonly kind: "comment" | "question" | "answer";
  readonly at: number;
  readonly text?: string;
}

/** The input of a call as a form. */
export interface EditPage {
  readonly reader: string;
  readonly approval: string;
  readonly digest: string;
  readonly proof: string;
  readonly title: string;
  readonly capability: string;
  readonly fields: readonly FormField[];
  /** What was wrong with what was sent, if anything was. */
  readonly fault?: string;
  /** The same page with the whole input as one text. */
  readonly raw: boolean;
  /** The one step that is edited, where it is one of a plan. */
  readonly step?: string;
}

/** One value of an input, by the name under which its form posts it. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly required: boolean;
  /** As the form holds it; `json` fields hold JSON. */
  readonly value: string;
  readonly kind: "text" | "number" | "boolean" | "choice" | "json" | "group";
  readonly options?: readonly string[];
  readonly fields?: readonly FormField[];
  /** It is there and may be left out. */
  readonly omittable: boolean;
}

/** Calls whose effect may or may not have happened. */
export interface UnknownsPage {
  readonly reader: string;
  readonly now: number;
  readonly items: readonly UnknownItem[];
  readonly next?: string;
}

export interface UnknownItem {
  readonly call: string;
  readonly capability: string;
  readonly summary?: string;
  readonly asker: string;
  readonly closedAt: number;
  readonly input?: Json;
  readonly proof: string;
  readonly canProbe: boolean;
}

/** A flood, looked at together and decided one by one. */
export interface BundlePage {
  readonly reader: string;
  readonly principal: string;
  readonly capability: string;
  readonly count: number;
  /** There may be more than were counted. */
  readonly more?: boolean;
  readonly items: readonly ApprovalPage[];
}

export type PageRequester = Pick<Principal, "id" | "kind" | "owner" | "onBehalfOf">;

export interface PageReader {
  readonly id: string;
  /** Whether their yes would count, and if not, why. */
  readonly voterStatus: VoterStatus;
}

/** `confirmation`: nobody else can be asked, so the owner's own yes counts, as such. */
export type VoterStatus = "approver" | "confirmation" | "own-call" | IneligibleReason;

/** Reasons why a person other than the requester cannot approve a call. */
export type IneligibleReason = "own-edit" | "not-in-group" | "handed-over" | "represented";

export interface PageVote {
  readonly by: string;
  readonly decision: "approve" | "deny" | "return";
  readonly as: "approver" | "confirmation";
  readonly at: number;
  readonly groups?: readonly string[];
  /** Steps that were left out of this yes. */
  readonly declined?: readonly string[];
}

/** What this asker has done with this capability before. */
export interface PageHistory {
  readonly outcomes: Readonly<Partial<Record<OutcomeKind, number>>>;
  readonly lastDeniedAt?: number;
  /** How far back was looked: so many calls, and there are more. */
  readonly newest?: number;
}

/** The forms this page may offer, each with the proof that it was on a page shown to this reader. */
export interface PageForms {
  readonly deny?: string;
  readonly approve?: string;
  readonly reveal?: string;
  readonly say?: string;
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
  readonly asker: Pick<PageRequester, "id" | "owner">;
  readonly guards: readonly Guard[];
  readonly votes: number;
  readonly expiresAt: number;
  /** Why it is not the reader's turn; missing: it is. */
  readonly notYours?: "own-call" | "voted" | IneligibleReason;
  /** It is a plan of so many steps. */
  readonly steps?: number;
  /** It stands for a flood of so many, which are decided about together. */
  readonly flood?: number;
}

/** A page that says one thing and where to go on. */
export interface NoticePage {
  readonly reader?: string;
  readonly title: string;
  readonly text: string;
  readonly link?: { readonly href: string; readonly text: string };
}
