import type { Caller, Session } from "@paraph/core";

/** The caller, the endpoint and the session of one MCP request. */
export interface RequestContext {
  readonly caller: Caller;
  /**
   * Returns whether the caller may still read. Paraph calls this function after a wait, because the caller may have
   * lost access in the meantime.
   */
  readonly isStillAllowed: () => Promise<boolean>;
  /**
   * The MCP server that this endpoint serves under the server's own names. If undefined, the endpoint offers all
   * capabilities.
   */
  readonly server: string | undefined;
  readonly session: Session & { readonly session: string };
  /** Whether a client of an older protocol version declared at initialization that it opens pages for people. */
  readonly canOpenPages: boolean;
  /** Aborts when the client disconnects or this server stops. */
  readonly signal: AbortSignal;
  readonly trace: string | undefined;
}
