import type { Finding, OutcomeKind, Vote } from "@paraph/core";

/**
 * What was done, by whom: `begin` is the first step of a whole, `apply` the end of what was let through, `undo` that of a
 * call which undoes another, `end` that of a call which was not let through.
 */
export const activityKinds = [
  "ask",
  "approve",
  "deny",
  "return",
  "hand-over",
  "reveal",
  "withdraw",
  "begin",
  "apply",
  "undo",
  "end",
  "resolve",
] as const;
export type ActivityKind = (typeof activityKinds)[number];

/** One thing that was done: ids, codes and times, never a payload. */
export interface Activity {
  /** The call and the number of its event. */
  readonly id: string;
  readonly at: number;
  readonly kind: ActivityKind;
  readonly call: string;
  /** The whole it belongs to: itself, where it is one. */
  readonly plan?: string;
  readonly step?: string;
  /** The call that this one undoes. */
  readonly undoes?: string;
  readonly capability: string;
  /** Who asked. */
  readonly principal: string;
  readonly onBehalfOf?: string;
  /** Who did it, where that was not the call itself. */
  readonly by?: string;
  /** To whom it was handed over. */
  readonly to?: string;
  readonly as?: Vote["as"];
  readonly approval?: string;
  readonly round?: number;
  readonly outcome?: OutcomeKind;
  readonly code?: string;
  readonly finding?: Finding;
  /** Steps that were left out of a yes. */
  readonly declined?: readonly string[];
  /** The call that took its place. */
  readonly successor?: string;
  /** Digest of the receipt. */
  readonly receipt?: string;
}

export interface ActivityFilter {
  /** A whole with its steps, whatever undoes any of them, and the steps of that. */
  readonly plan?: string;
  readonly call?: string;
  /** Who asked, or who did it. */
  readonly principal?: string;
  readonly capability?: string;
  readonly kind?: ActivityKind;
  readonly outcome?: OutcomeKind;
  readonly since?: number;
  readonly until?: number;
  /** What is older than this. */
  readonly before?: ActivityCursor;
  readonly limit: number;
}

/** A place in the order of activity: by time, then by call and number. */
export interface ActivityCursor {
  readonly at: number;
  readonly call: string;
  readonly seq: number;
}

/** Newest first. A page may hold less than was asked for, even nothing, and still say where the next one begins. */
export interface ActivityPage {
  readonly activity: readonly Activity[];
  readonly next?: ActivityCursor;
}

const cursorPattern = /^(\d{1,15})\.(\d{1,9})\.([A-Za-z0-9_-]{1,128})$/;

export function formatActivityCursor({ at, call, seq }: ActivityCursor): string {
  return `${at}.${seq}.${call}`;
}

export function parseActivityCursor(text: string): ActivityCursor | undefined {
  const [, at, seq, call] = cursorPattern.exec(text) ?? [];
  return call === undefined ? undefined : { at: Number(at), seq: Number(seq), call };
}
