import type { ApproverSelection, Call, CallRef, PossibleApprover, Urgency } from "@paraph/core";

/** The kinds of notices. A `summary` counts several notices that would have been too many for one person. */
export type NoticeKind = "request" | "reminder" | "escalation" | "outcome" | "summary";

/** The record of notices. Every method is one transaction and may be repeated. */
export interface NoticeStore {
  /** Returns people whom a channel can reach now, without those who are frozen or disabled. */
  listPeople(tenant: string, channel: string, select: PeopleFilter): Promise<readonly ReachablePerson[]>;
  /**
   * Returns the new events of these calls. It includes a call itself only if it needed an approval, and if one of the
   * events is of these kinds.
   */
  loadNews(
    tenant: string,
    endpoint: string,
    channel: string,
    calls: readonly string[],
    kinds: readonly string[],
  ): Promise<readonly CallNews[]>;
  /**
   * Writes the notices of many calls in one transaction, decides which of them belong to a flood, and marks the events as
   * handled. A call that another transaction is writing stays due.
   */
  plan(tenant: string, endpoint: string, channel: string, plans: readonly CallPlan[]): Promise<void>;
  /** Returns the people whom a channel told about a call, with the kinds of their notices. */
  listTold(channel: string, ref: CallRef): Promise<readonly ToldPerson[]>;
  /** Returns the recipients with due notices, of all tenants, the longest due first. */
  listDueRecipients(
    channel: string,
    limit: number,
  ): Promise<readonly { readonly tenant: string; readonly recipient: string }[]>;
  /** Returns the times of a channel's attempts within the last minute. */
  listRecentAttempts(channel: string): Promise<readonly number[]>;
  loadBatch(tenant: string, channel: string, recipient: string, limit: number): Promise<NoticeBatch>;
  /** Lets a summary count the recipient's due notices, other than those in `except`. */
  coalesce(
    tenant: string,
    channel: string,
    recipient: string,
    summary: string,
    except: readonly string[],
  ): Promise<void>;
  /** Delays the recipient's due notices, other than those in `except`. */
  postpone(
    tenant: string,
    channel: string,
    recipient: string,
    until: number,
    except: readonly string[],
  ): Promise<void>;
  /** Returns what a summary counts now. */
  countSummary(
    tenant: string,
    summary: string,
  ): Promise<{ readonly waiting: number; readonly ended: number }>;
  /** Records that an attempt begins. Returns false if the notice no longer waits. */
  beginAttempt(tenant: string, id: string): Promise<boolean>;
  endAttempt(tenant: string, id: string, end: AttemptResult): Promise<void>;
  /** Keeps a notice until a later time. */
  hold(tenant: string, id: string, until: number): Promise<void>;
}

/** A person who was told about a call. */
export interface ToldPerson {
  readonly recipient: string;
  readonly kinds: readonly NoticeKind[];
}

/** The new events of one call: those after `after` and up to `until`. */
export interface CallNews {
  readonly call: string;
  readonly after: number;
  readonly until: number;
  /** Missing if nothing about the call can be a notice. */
  readonly document?: Call;
  readonly told: readonly ToldPerson[];
}

/** The notices of one call's events up to `seq`. */
export interface CallPlan {
  readonly call: string;
  readonly seq: number;
  readonly notices: readonly PlannedNotice[];
}

/** Selects people by group, by id, or everyone. */
export interface PeopleFilter extends ApproverSelection {
  readonly limit: number;
}

/** A person whom a channel can reach. */
export interface ReachablePerson extends PossibleApprover {
  readonly address: string;
  readonly quiet?: QuietHours;
}

/** The hours in which a person wants no messages. `from` and `until` are minutes after midnight. */
export interface QuietHours {
  readonly from: number;
  readonly until: number;
  readonly timeZone: string;
  /** The lowest urgency that reaches the person nevertheless. */
  readonly pierce: Exclude<Urgency, "low" | "normal"> | "none";
}

/** A notice to write. */
export interface PlannedNotice {
  readonly id: string;
  readonly kind: Exclude<NoticeKind, "summary">;
  readonly recipient: string;
  readonly approval: string;
  /** The number of the event that the notice is about. */
  readonly seq: number;
  /** The rank of the urgency: 0 for `normal`, and more for a higher one. */
  readonly urgency: number;
}

/** The due notices of one recipient. */
export interface NoticeBatch {
  /** The number of attempts within the last minute. */
  readonly recent: number;
  /** The time of the last summary, if it was within the last minute. */
  readonly summaryAt: number | null;
  readonly due: readonly DueNotice[];
}

/** A notice that is due. */
export type DueNotice = {
  readonly tenant: string;
  readonly id: string;
  readonly recipient: string;
  readonly urgency: number;
  readonly flood: boolean;
  readonly at: number;
  readonly attempts: number;
  readonly failingSince: number | null;
} & (
  | { readonly kind: "summary" }
  | {
      readonly kind: Exclude<NoticeKind, "summary">;
      readonly call: string;
      readonly approval: string;
      readonly seq: number;
      readonly thread: {
        readonly id: string;
        readonly at: number;
        readonly providerId: string | null;
      } | null;
    }
);

/** The end of an attempt. A failed attempt with `waitMs` is repeated. */
export type AttemptResult =
  | { readonly state: "sent"; readonly providerId: string }
  | { readonly state: "waiting"; readonly code: string; readonly waitMs: number }
  | { readonly state: "dropped" | "given-up"; readonly code: string };
