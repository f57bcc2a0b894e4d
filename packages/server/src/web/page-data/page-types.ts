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
  readonly cost: number;
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

/** The data of the edit page, which shows a call's input as a form. */
export interface EditPage {
  readonly reader: string;
  readonly approval: string;
  readonly digest: string;
  readonly proof: string;
  readonly title: string;
  /** One line that says what the call or the step does as requested. */
  readonly headline: string;
  readonly capability: string;
  readonly fields: readonly FormField[];
  /** The fault of the submitted form, if any. */
  readonly fault?: string;
  /** The reason in the submitted form, if it has a fault. */
  readonly reason?: string;
  /** Whether the page shows the whole input as one JSON text. */
  readonly raw: boolean;
  /** The step to edit, if the page edits only one step of a plan. */
  readonly step?: string;
  readonly approvers: EditApprovers;
}

/** The people who can approve the edited request, according to the policies that ask for the current one. */
export interface EditApprovers {
  /** Whether the tenant has no other person, so that the editor confirms their own edit. */
  readonly isOnlyPerson: boolean;
  /** The number of approvals that it needs. */
  readonly quorum: number;
  /** The groups of which approvers have to be members, if any. */
  readonly groups: readonly string[];
  readonly people: readonly string[];
  /** Whether there may be more such people. */
  readonly hasMore: boolean;
}

/** One value of an input, with the name of its form field. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly required: boolean;
  /** The text in the form. Fields of the kind `json` hold JSON. */
  readonly value: string;
  readonly kind: "text" | "number" | "boolean" | "choice" | "json" | "group";
  readonly options?: readonly string[];
  readonly fields?: readonly FormField[];
  /** Whether the value is present but optional, so that a person can leave it out. */
  readonly omittable: boolean;
}

/** The data of the page of calls with unknown outcomes. */
export interface UnknownsPage {
  readonly reader: string;
  readonly now: number;
  readonly items: readonly UnknownItem[];
  readonly next?: string;
}

/** A call with an unknown outcome. */
export interface UnknownItem {
  readonly call: string;
  readonly headline: string;
  readonly capability: string;
  readonly asker: string;
  readonly closedAt: number;
  readonly input?: Json;
  /** The steps, if the call is a plan or composite. */
  readonly plan?: PagePlan;
  readonly proof: string;
  readonly canProbe: boolean;
}

/** The data of the page that lists the decisions that a person sent about a flood, and what came of each. */
export interface BundleResultPage {
  readonly reader: string;
  readonly results: readonly BundleResult[];
}

/** One decision about an approval of a flood. */
export interface BundleResult {
  readonly approval: string;
  readonly headline: string;
  readonly decision: "approve" | "deny";
  /** The state of the call after the decision. Missing if Paraph did not record the decision. */
  readonly state?: CallState;
  /** Why Paraph did not record the decision. */
  readonly problem?: string;
}

/** The data of the page of a flood. The page lists the approvals of the flood, each with its own decision. */
export interface BundlePage {
  readonly reader: string;
  readonly principal: string;
  readonly capability: string;
  readonly count: number;
  /** Whether there may be more approvals than `count`. */
  readonly more?: boolean;
  readonly items: readonly ApprovalPage[];
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
  /** How the voter proved this approval. */
  readonly proof?: ProofKind;
  /** The voter's own words. */
  readonly reason?: string;
}

/** How this requester's earlier calls of this capability ended. */
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

/** The data of the inbox page. */
export interface InboxPage {
  readonly now: number;
  readonly reader: string;
  readonly items: readonly InboxItem[];
  /** The start of the next page, if there is one. */
  readonly next?: string;
}

/** An open approval in the inbox. */
export interface InboxItem {
  readonly approval: string;
  /** One line that says what the call does. For a flood, it describes the call with the highest risk. */
  readonly headline: string;
  readonly capability: string;
  readonly contract?: Pick<Contract, "risk">;
  readonly asker: Pick<PageRequester, "id" | "owner">;
  readonly guards: readonly Guard[];
  readonly votes: number;
  readonly expiresAt: number;
  /** The reason why the reader cannot vote. Missing if the reader can vote. */
  readonly notYours?: "own-call" | "voted" | IneligibleReason;
  /** The number of steps, if the call is a plan. */
  readonly steps?: number;
  /**
   * The number of approvals in the flood that this item represents, and how many of the listed ones the reader cannot
   * decide. The reader decides on them on one page.
   */
  readonly flood?: { readonly count: number; readonly others: number };
}

/** The data of the page that lists the reader's own decisions, newest first. */
export interface DecidedPage {
  readonly reader: string;
  readonly now: number;
  readonly items: readonly DecidedItem[];
  /** The start of the next page, if there is one. */
  readonly next?: string;
}

/** A decision of the reader, and what has come of the call since. */
export interface DecidedItem
  extends Pick<PageVote, "decision" | "as" | "answered" | "reason">,
    Pick<CallPage, "state" | "outcome" | "resolution"> {
  readonly call: string;
  readonly headline: string;
  readonly capability: string;
  readonly risk?: Risk;
  readonly asker: string;
  readonly at: number;
  /** The headlines of the steps that this approval left out. */
  readonly leftOut?: readonly string[];
}

/** The data of the page on which a person chooses their notices. */
export interface NotificationsPage {
  readonly reader: string;
  /** The reader's Slack account, if Slack is configured. */
  readonly slack?: {
    readonly account?: { readonly teamName: string; readonly accountName: string } | undefined;
    readonly proof: string;
  };
  readonly proof: string;
  readonly settings: {
    readonly available: readonly {
      readonly channel: string;
      readonly address?: string | undefined;
      readonly devices?: readonly PageDevice[] | undefined;
    }[];
    readonly channels?: readonly string[];
    readonly quiet?: {
      readonly from: string;
      readonly until: string;
      readonly timeZone: string;
      readonly pierce: "high" | "critical" | "none";
    };
  };
  /** The key to which browsers bind push subscriptions. Missing if push is not configured or has no key here. */
  readonly pushKey?: string;
  /** Why the posted form was not saved. */
  readonly fault?: string;
  readonly saved?: boolean;
}

/** A browser in which the reader turned on push notifications. The times are ISO texts. */
export interface PageDevice {
  readonly id: string;
  readonly name: string;
  readonly addedAt: string;
  readonly usedAt?: string | undefined;
}

/** The question whether a Slack account belongs to the reader. */
export interface SlackLinkPage {
  readonly reader: string;
  readonly proof: string;
  readonly invitation: string;
  readonly teamName: string;
  readonly accountName: string;
}

/** The data of the page on which a person enrols and removes passkeys. */
export interface PasskeysPage {
  readonly reader: string;
  readonly proof: string;
  readonly passkeys: readonly {
    readonly credential: string;
    readonly label: string;
    /** The digits with which people compare the public key on two screens. */
    readonly fingerprint: string;
    readonly createdAt: number;
    readonly usedAt?: number;
  }[];
  /** The options of the WebAuthn ceremony. Missing if Paraph is reached at an IP address. */
  readonly enrolment?: {
    readonly challenge: string;
    readonly rpId: string;
    readonly person: string;
    readonly known: readonly string[];
  };
  /** Why the posted registration was not accepted. */
  readonly fault?: string;
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

/** The data of a page with one message and a link. */
export interface NoticePage {
  readonly reader?: string;
  readonly title: string;
  readonly text: string;
  readonly link?: { readonly href: string; readonly text: string };
}
