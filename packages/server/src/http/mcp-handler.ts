import type { Caller, Principal } from "@paraph/core";

/** The MCP endpoint. `start/api-role.ts` passes its implementation to the HTTP server. */
export interface McpHandler {
  hasServer(reader: Principal, server: string): boolean;
  serve(
    request: Request,
    visitor: {
      readonly caller: Caller;
      /** Returns whether the caller may still read. The endpoint calls this function after a wait. */
      readonly isStillAllowed: () => Promise<boolean>;
      readonly server: string | undefined;
      readonly body: unknown;
      readonly signal: AbortSignal;
      readonly trace: string | undefined;
    },
  ): Promise<Response>;
}

/** The issuer from which clients without a token obtain one for this server. */
export interface TokenSource {
  readonly issuer: string;
  /** Returns the address at which browsers and agents reach this server. */
  readonly url: () => string;
}
