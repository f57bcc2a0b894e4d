import { type AuthInfo, createMcpHandler } from "@modelcontextprotocol/server";
import type { Caller, Principal } from "@paraph/core";
import type { ParaphService } from "../services/paraph-service.ts";
import { createMcpServer } from "./create-server.ts";
import { readMetaTraceparent } from "./meta-traceparent.ts";
import type { RequestContext } from "./request-context.ts";
import { createSessionId, resolveSession, sessionHeader } from "./session.ts";
import { createToolboxes } from "./tools/toolbox.ts";

/** The options of `createMcpGateway`. */
export interface McpGatewayOptions {
  readonly service: ParaphService;
  /** Returns the address at which browsers reach this server. */
  readonly url: () => string;
  readonly version: string;
  readonly onProblem: (error: unknown) => void;
  /**
   * The maximum time that a client waits before Paraph returns a pending result (default: 45 s, less than every
   * client's own timeout).
   */
  readonly maxWaitMs?: number;
  /** The interval at which Paraph checks whether a listening client may still listen (default: 30 s). */
  readonly listenCheckMs?: number;
}

/** An authenticated HTTP request for MCP. */
export interface IncomingRequest {
  readonly caller: Caller;
  readonly isStillAllowed: () => Promise<boolean>;
  readonly server: string | undefined;
  readonly body: unknown;
  readonly signal: AbortSignal;
  readonly trace: string | undefined;
}

/** The MCP endpoint. */
export interface McpGateway {
  /** Returns whether the reader may use this server's endpoint. */
  hasServer(reader: Principal, server: string): boolean;
  /** Responds to one request of any protocol version. The caller is authenticated already. */
  serve(request: Request, visitor: IncomingRequest): Promise<Response>;
  /** Notifies listening clients that the tools changed. */
  notifyToolsChanged(): void;
  close(): Promise<void>;
}

/** Creates the MCP endpoint. It is stateless, so that any process can answer any request. */
export function createMcpGateway(options: McpGatewayOptions): McpGateway {
  const { service, url, version, onProblem, maxWaitMs = 45_000, listenCheckMs = 30_000 } = options;
  const toolboxes = createToolboxes(service);
  const deps = { service, toolboxes, url, version, onProblem, maxWaitMs };
  const handler = createMcpHandler(({ authInfo, era }) =>
    createMcpServer(readRequestContext(authInfo), era, deps),
  );
  return {
    hasServer: (reader, server) => toolboxes.findToolbox(reader, server) !== undefined,
    async serve(request, { body, ...visitor }) {
      const context: RequestContext = {
        ...visitor,
        ...resolveSession(request.headers.get(sessionHeader) ?? undefined, body),
        trace: visitor.trace ?? readMetaTraceparent(body),
      };
      const response = await handler.fetch(
        isListenRequest(body) ? limitListening(request, visitor, listenCheckMs) : request,
        {
          authInfo: toAuthInfo(context),
          ...(body !== undefined && { parsedBody: body }),
        },
      );
      const begun = createSessionId(body);
      if (begun !== undefined && response.ok) response.headers.set(sessionHeader, begun);
      return response;
    },
    notifyToolsChanged: () => handler.notify.toolsChanged(),
    close: () => handler.close(),
  };
}

function isListenRequest(body: unknown): boolean {
  return (body as { readonly method?: unknown } | undefined)?.method === "subscriptions/listen";
}

/**
 * [TRUST 21] Ends a stream soon after its caller's key is revoked or its caller is frozen. The stream also ends when the
 * client disconnects or this server stops.
 */
function limitListening(
  { url, method, headers }: Request,
  { signal, isStillAllowed }: Pick<IncomingRequest, "signal" | "isStillAllowed">,
  checkMs: number,
): Request {
  const revoked = new AbortController();
  const check = async () => {
    // A check that fails ends the stream too. The client can listen again.
    if (!(await isStillAllowed().catch(() => false))) revoked.abort();
  };
  const timer = setInterval(check, checkMs).unref();
  const ended = AbortSignal.any([signal, revoked.signal]);
  ended.addEventListener("abort", () => clearInterval(timer), { once: true });
  return new Request(url, { method, headers, signal: ended });
}

/**
 * [TRUST 8] Carries the request context in the SDK's auth info, without the token. MCP code cannot leak a token that it
 * never receives.
 */
function toAuthInfo(context: RequestContext): AuthInfo {
  return { token: "", clientId: context.caller.principal.id, scopes: [], extra: { visit: context } };
}

function readRequestContext(authInfo: AuthInfo | undefined): RequestContext {
  const context = authInfo?.extra?.visit as RequestContext | undefined;
  if (!context) throw new Error("an MCP request without its visitor");
  return context;
}
