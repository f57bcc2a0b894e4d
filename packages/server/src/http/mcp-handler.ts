import type { Caller, Principal } from "@paraph/core";

/** How MCP is spoken; `start.ts` hands it over. */
export interface McpHandler {
  hasServer(reader: Principal, server: string): boolean;
  serve(
    request: Request,
    visitor: {
      readonly caller: Caller;
      /** Asked after a wait: whether the caller may still be told something. */
      readonly isStillAllowed: () => Promise<boolean>;
      readonly server: string | undefined;
      readonly body: unknown;
      readonly signal: AbortSignal;
      readonly trace: string | undefined;
    },
  ): Promise<Response>;
}

/** Where tokens for this server come from, for clients that have none yet. */
export interface TokenSource {
  readonly issuer: string;
  /** Where browsers and agents reach this server. */
  readonly url: () => string;
}
