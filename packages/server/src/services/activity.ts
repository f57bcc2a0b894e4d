import type { Finding, OutcomeKind, Vote } from "@paraph/core";

/**
 * The kinds of activity. `begin` is the start of a composite's steps. `apply` is the end of a call that succeeded,
 * failed or has an unknown outcome. `undo` replaces `apply` for a call that undoes another call. `end` is the end of a
 * call with any other outcome.
 */
export const activityKinds = [
  "ask",
  "approve",
  "deny",
  "return",
  "reassign",
  "reveal",
  "withdraw",
  "begin",
  "apply",
  "undo",
  "end",
  "resolve",
] as const;
/** One of the activity kinds. */
export type ActivityKind = (typeof activityKinds)[number];

/** One recorded action with ids, codes and times, never a payload. */
export interface Activity {
  /** The call's id and the number of its event. */
  readonly id: string;
  readonly at: number;
  readonly kind: ActivityKind;
  readonly call: string;
  /** The top-level call that this call belongs to, or the call itself if it has steps. */
  readonly plan?: string;
  readonly step?: string;
  readonly undoes?: string;
  readonly capability: string;
  /** The requester. */
  readonly principal: string;
  readonly onBehalfOf?: string;
  /** The principal who acted. Absent if the call itself caused the activity. */
  readonly by?: string;
  /** The principal to whom the approval was reassigned. */
  readonly to?: string;
  readonly as?: Vote["as"];
  readonly approval?: string;
  readonly round?: number;
  readonly outcome?: OutcomeKind;
  readonly code?: string;
  readonly finding?: Finding;
  /** The steps that the approver left out of the approval. */
  readonly declined?: readonly string[];
  /** The call that replaced this one. */
  readonly successor?: string;
  /** The digest of the receipt. */
  readonly receipt?: string;
}

/** The filter of a list of activity. The list has at most `limit` entries. */
export interface ActivityFilter {
  /** Selects a plan with its steps, every call that undoes one of them, and the steps of those calls. */
  readonly plan?: string;
  readonly call?: string;
  /** Only activity on calls that this principal requested, or actions that this principal took. */
  readonly principal?: string;
  readonly capability?: string;
  readonly kinds?: readonly ActivityKind[];
  readonly outcome?: OutcomeKind;
  readonly since?: number;
  readonly until?: number;
  /** Only activity older than this position. */
  readonly before?: ActivityCursor;
  readonly limit: number;
}

/** A position in the order of activity: by time, then by call and event number. */
export interface ActivityCursor {
  readonly at: number;
  readonly call: string;
  readonly seq: number;
}

/**
 * A page of activity, newest first. It may hold fewer entries than the limit, or none, and still have a `next`
 * position.
 */
export interface ActivityPage {
  readonly activity: readonly Activity[];
  readonly next?: ActivityCursor;
}

const cursorPattern = /^(\d{1,15})\.(\d{1,9})\.([A-Za-z0-9_-]{1,128})$/;

/** Returns the cursor as text for the `next` field of a page. */
export function formatActivityCursor({ at, call, seq }: ActivityCursor): string {
  return `${at}.${seq}.${call}`;
}

/** Parses a cursor, or returns undefined if the text is not a valid cursor. */
export function parseActivityCursor(text: string): ActivityCursor | undefined {
  const [, at, seq, call] = cursorPattern.exec(text) ?? [];
  return call === undefined ? undefined : { at: Number(at), seq: Number(seq), call };
}
