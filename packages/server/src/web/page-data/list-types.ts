import type { CallState, Contract, Guard, Json, Risk } from "@paraph/core";
import type {
  ApprovalPage,
  CallPage,
  IneligibleReason,
  PagePlan,
  PageRequester,
  PageVote,
} from "./approval-types.ts";

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
  readonly canRetry: boolean;
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
  /** Whether an undo of the call succeeded. */
  readonly undone?: boolean;
  /** The headlines of the steps that this approval left out. */
  readonly leftOut?: readonly string[];
}
