import { type AuthInfo, createMcpHandler } from "@modelcontextprotocol/server";
import type { Caller, Principal } from "@paraph/core";
import { createMcpServer } from "./create-server.ts";
import type { McpService } from "./mcp-service.ts";
import { readMetaTraceparent } from "./meta-traceparent.ts";
import type { RequestContext } from "./request-context.ts";
import { createSessionId, resolveSession, sessionHeader } from "./session.ts";
import { createToolboxes } from "./tools/toolbox.ts";

export interface McpGatewayOptions {
  readonly service: McpService;
  /** Where browsers reach this server. */
  readonly url: () => string;
  readonly version: string;
  readonly onProblem: (error: unknown) => void;
  /** How long a client is kept waiting before it is told to come back: 45 s unless said, below every client's own patience. */
  readonly maxWaitMs?: number;
}

export interface IncomingRequest {
  readonly caller: Caller;
  readonly isStillAllowed: () => Promise<boolean>;
  readonly server: string | undefined;
  readonly body: unknown;
  readonly signal: AbortSignal;
  readonly trace: string | undefined;
}

export interface McpGateway {
  /** Whether there is such a door for this reader. */
  hasServer(reader: Principal, server: string): boolean;
  /** Answers one request, of whichever era. Who sent it was settled before. */
  serve(request: Request, visitor: IncomingRequest): Promise<Response>;
  /** Tells clients who listen that there are other tools now. */
  notifyToolsChanged(): void;
  close(): Promise<void>;
}

/** The MCP surface: stateless, so that any process answers any request. */
export function createMcpGateway(options: McpGatewayOptions): McpGateway {
  const { service, url, version, onProblem, maxWaitMs = 45_000 } = options;
  const toolboxes = createToolboxes(service);
  const deps = { service, toolboxes, url, version, onProblem, maxWaitMs };
  const handler = createMcpHandler(({ authInfo, era }) =>
    createMcpServer(readRequestContext(authInfo), era, deps),
  );
  return {
    hasServer: (reader, server) => toolboxes.findToolbox(reader, server) !== undefined,
    async serve(request, { body, ...visitor }) {
      const visit: RequestContext = {
        ...visitor,
        ...resolveSession(request.headers.get(sessionHeader) ?? undefined, body),
        trace: visitor.trace ?? readMetaTraceparent(body),
      };
      const response = await handler.fetch(
        isListenRequest(body) ? limitDuration(request, visitor.signal) : request,
        {
          authInfo: toAuthInfo(visit),
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

/** How long a client hears of changes before it has to say again who it is. */
const maxListenMs = 3_600_000;

function isListenRequest(body: unknown): boolean {
  return (body as { readonly method?: unknown } | undefined)?.method === "subscriptions/listen";
}

/** A stream that ends with its client, with this server, and after a while: whose key was revoked does not come back. */
function limitDuration({ url, method, headers }: Request, signal: AbortSignal): Request {
  return new Request(url, {
    method,
    headers,
    signal: AbortSignal.any([signal, AbortSignal.timeout(maxListenMs)]),
  });
}

/** [TRUST 8] The SDK's own carrier, without the token: what never comes in here cannot go on from here. */
function toAuthInfo(visit: RequestContext): AuthInfo {
  return { token: "", clientId: visit.caller.principal.id, scopes: [], extra: { visit } };
}

function readRequestContext(authInfo: AuthInfo | undefined): RequestContext {
  const visit = authInfo?.extra?.visit as RequestContext | undefined;
  if (!visit) throw new Error("an MCP request without its visitor");
  return visit;
}
