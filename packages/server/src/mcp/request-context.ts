import type { Caller, Session } from "@paraph/core";

/** Who has come, to which door, and as part of what. */
export interface RequestContext {
  readonly caller: Caller;
  /** Asked after a wait: whether the caller may still be told something. */
  readonly isStillAllowed: () => Promise<boolean>;
  /** Whose own names are spoken here; everything is offered where none is given. */
  readonly server: string | undefined;
  readonly session: Session & { readonly session: string };
  /** The client of an older era said when it began that it opens pages for people. */
  readonly canOpenPages: boolean;
  /** Ends when the client hangs up, or this server stops. */
  readonly signal: AbortSignal;
  readonly trace: string | undefined;
}
