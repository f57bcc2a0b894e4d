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
  ProofKind,
  Resolution,
  Risk,
  RoundStatus,
  VerifiedReceipt,
} from "@paraph/core";
import type { VoterStatus } from "../../http/views/voter-status.ts";

/** The data of the approval page, as this reader may see it. Times are milliseconds since 1970. */
export interface ApprovalPage {
  readonly now: number;
  readonly reader: PageReader;
  readonly approval: string;
  readonly call: string;
  readonly round: number;
  readonly status: RoundStatus;
  /** The code with which this round became void or, if it is a later round, with which the one before did. */
  readonly voidCode?: string;
  /** [P5] The digest that a vote on this page approves. */
  readonly digest: string;
  readonly askedAt: number;
  readonly expiresAt: number;
  /** One line that says what the call does. */
  readonly headline: string;
  readonly capability: string;
  /** Missing if this server no longer has the contract under which the call was requested. */
  readonly contract?: Pick<Contract, "version" | "summary" | "effect" | "risk" | "performer">;
  readonly asker: PageRequester;
  /** Missing after the input was erased. */
  readonly input?: Json;
  /** When and why an operator erased the payloads of the call. */
  readonly erased?: { readonly at: number; readonly reason: string };
  /** `hidden` means that a preview exists, but this reader may see no part of it. */
  readonly preview: Preview | "none" | "hidden";
  /** The requester's own words. */
  readonly purpose?: string;
  /** The requester's own summary of its state. */
  readonly compressedState?: string;
  readonly guards: readonly Guard[];
  readonly votes: readonly PageVote[];
  readonly checks: readonly CheckResult[];
  /** The effects that remain after an undo. */
  readonly notUndone: readonly NotUndone[];
  readonly history?: PageHistory;
  /** The paths of the sensitive fields that are masked for this reader. */
  readonly masked: readonly string[];
  readonly state: CallState;
  readonly outcome?: Outcome;
  /** The finding of a person or a probe about an unknown outcome. */
  readonly resolution?: Pick<Resolution, "finding" | "by" | "how">;
  /** The words of the person who edited or withdrew the call. */
  readonly reason?: string;
  /** Whether the reader has opened the details, so that nothing is collapsed. */
  readonly opened: boolean;
  /** [TRUST 6] Whether the reader may approve only after opening the details. */
  readonly mustOpen: boolean;
  readonly forms: PageForms;
  /** [TRUST 27] Whether the reader's approval needs a passkey. */
  readonly needsPasskey?: boolean;
  /** The people who look at the request, in this round. */
  readonly acknowledgedBy: readonly string[];
  /** The messages about the call, oldest first. */
  readonly messages: readonly PageMessage[];
  /** The preview of the previous round, if Paraph started this round because the preview changed. */
  readonly earlier?: Preview;
  readonly editedBy?: string;
  /** The words of the person whose edit created this call. */
  readonly editReason?: string;
  /**
   * The address of the approval page of the call that replaced this one, and the person whose edit created that call.
   * Either may be missing.
   */
  readonly successor?: { readonly href?: string; readonly by?: string };
  /** The answer that the capability requests with an approval. */
  readonly answerRequest?: AnswerRequest;
  /** The answer of the approvers, once they have given it. */
  readonly answer?: Json;
  /** The steps, if the call is a plan or composite. */
  readonly plan?: PagePlan;
  /** The call that this call is a step of. */
  readonly parent?: { readonly step: string; readonly href: string };
}

/** [P13] The steps that approvers decide on together, as one question. */
export interface PagePlan {
  /** The requester's own words. */
  readonly title?: string;
  readonly onFailure?: "stop" | "continue" | "compensate";
  readonly steps: readonly PageStep[];
}

/** A step on the page of a plan. */
export interface PageStep {
  readonly id: string;
  readonly capability: string;
  /** One line that says what the step does. */
  readonly headline: string;
  readonly effect?: Effect;
  readonly risk?: Risk;
  /** The input as written in the plan, masked for this reader. Missing after it was erased. */
  readonly input?: Json;
  readonly changes: readonly Change[];
  readonly previewed: boolean;
  readonly inputKnown: boolean;
  readonly dependsOn: readonly string[];
  /** The steps after which this step runs, if the plan names any. */
  readonly after?: readonly string[];
  /** In minor units. Undefined if the cost is masked for this reader. */
  readonly cost: number | undefined;
  /** Whether the step's details are hidden from this reader. */
  readonly hidden: boolean;
  /** The voters who approved the plan without this step. */
  readonly declinedBy: readonly string[];
  readonly status: "planned" | "declined" | "skipped" | "open" | "closed";
  readonly state?: CallState;
  readonly outcome?: Outcome;
  /** The page of the step's own call. */
  readonly href?: string;
  readonly editHref?: string;
}

/** The data of the changes section of a page. */
export type ChangesSectionData = Pick<
  ApprovalPage,
  "input" | "erased" | "preview" | "contract" | "masked" | "opened" | "mustOpen" | "plan"
> &
  Partial<Pick<ApprovalPage, "approval" | "digest" | "forms" | "answerRequest" | "answer" | "votes">>;

/** The data of the page for a call without an approval. */
export interface CallPage
  extends Pick<
    ApprovalPage,
    | "call"
    | "headline"
    | "capability"
    | "contract"
    | "asker"
    | "input"
    | "erased"
    | "preview"
    | "masked"
    | "state"
    | "outcome"
    | "resolution"
    | "plan"
    | "parent"
    | "now"
  > {
  readonly reader: string;
  readonly createdAt: number;
}

/**
 * The answer that a capability requests from an approver. For the kind `json`, the answer is any value that the
 * capability accepts.
 */
export type AnswerRequest = AnswerQuestion &
  (
    | { readonly kind: "confirm" | "text" | "json" }
    | { readonly kind: "choice"; readonly options: readonly string[] }
  );

/** The requester's own words about a question. */
interface AnswerQuestion {
  readonly question?: string;
  /** Why the requester asks. */
  readonly why?: string;
}

/** A message about a call. */
export interface PageMessage {
  readonly by: string;
  readonly kind: "comment" | "question" | "answer";
  readonly at: number;
  readonly text?: string;
}

/** The requester of a call. */
export type PageRequester = Pick<Principal, "id" | "kind" | "owner" | "onBehalfOf">;

/** The person who reads the page. */
export interface PageReader {
  readonly id: string;
  /** Whether the reader's approval would count and, if not, why. */
  readonly voterStatus: VoterStatus;
}

/** The reasons why a person other than the requester cannot approve a call. */
export type IneligibleReason = "own-edit" | "not-in-group" | "reassigned" | "represented";

/** A vote of a round. */
export interface PageVote {
  readonly by: string;
  readonly decision: "approve" | "deny" | "return";
  readonly as: "approver" | "confirmation";
  readonly at: number;
  readonly groups?: readonly string[];
  /** The steps that this approval left out. */
  readonly declined?: readonly string[];
  /** Whether the vote gave the answer to a question. */
  readonly answered?: boolean;
  /** The proof that the voter gave for this approval. */
  readonly proof?: ProofKind;
  /** The voter's own words. */
  readonly reason?: string;
}

/** The outcomes of this requester's earlier calls of this capability. */
export interface PageHistory {
  readonly outcomes: Readonly<Partial<Record<OutcomeKind, number>>>;
  readonly lastDeniedAt?: number;
  /** The number of calls counted, if Paraph counted only the newest ones. */
  readonly newest?: number;
}

/** The forms that the page offers. Each has a token, which proves that the form was on a page shown to this reader. */
export interface PageForms {
  readonly deny?: string;
  readonly approve?: string;
  readonly reveal?: string;
  readonly say?: string;
}

/** The data of the page that shows what the receipt of a call proves. */
export interface ReceiptPage {
  readonly reader: string;
  readonly call: string;
  readonly headline: string;
  /** Missing if the receipt does not verify. */
  readonly receipt?: VerifiedReceipt;
  /** Why the receipt does not verify. */
  readonly fault?: string;
}
