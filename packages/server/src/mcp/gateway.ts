import { type AuthInfo, createMcpHandler } from "@modelcontextprotocol/server";
import type { Caller, Principal } from "@paraph/core";
import type { Desk } from "./desk.ts";
import { serverFor } from "./server-for.ts";
import { begunBy, sessionHeader, sessionOf } from "./session.ts";
import { toolboxesOver } from "./toolbox.ts";
import { traceIn } from "./trace.ts";
import type { Visit } from "./visit.ts";

export interface GatewayOptions {
  readonly desk: Desk;
  /** Where browsers reach this server. */
  readonly url: () => string;
  readonly version: string;
  readonly problem: (error: unknown) => void;
  /** How long a client is kept waiting before it is told to come back: 45 s unless said, below every client's own patience. */
  readonly patienceMs?: number;
}

export interface Visitor {
  readonly caller: Caller;
  readonly isStillAllowed: () => Promise<boolean>;
  readonly server: string | undefined;
  readonly body: unknown;
  readonly signal: AbortSignal;
  readonly trace: string | undefined;
}

export interface Gateway {
  /** Whether there is such a door for this reader. */
  knows(reader: Principal, server: string): boolean;
  /** Answers one request, of whichever era. Who sent it was settled before. */
  serve(request: Request, visitor: Visitor): Promise<Response>;
  /** Tells clients who listen that there are other tools now. */
  changed(): void;
  close(): Promise<void>;
}

/** The MCP surface: stateless, so that any process answers any request. */
export function mcpGateway(options: GatewayOptions): Gateway {
  const { desk, url, version, problem, patienceMs = 45_000 } = options;
  const toolboxes = toolboxesOver(desk);
  const house = { desk, toolboxes, url, version, problem, patienceMs };
  const handler = createMcpHandler(({ authInfo, era }) => serverFor(visitIn(authInfo), era, house));
  return {
    knows: (reader, server) => toolboxes.behind(reader, server) !== undefined,
    async serve(request, { body, ...visitor }) {
      const visit: Visit = {
        ...visitor,
        ...sessionOf(request.headers.get(sessionHeader) ?? undefined, body),
        trace: visitor.trace ?? traceIn(body),
      };
      const response = await handler.fetch(listens(body) ? lasting(request, visitor.signal) : request, {
        authInfo: carrying(visit),
        ...(body !== undefined && { parsedBody: body }),
      });
      const begun = begunBy(body);
      if (begun !== undefined && response.ok) response.headers.set(sessionHeader, begun);
      return response;
    },
    changed: () => handler.notify.toolsChanged(),
    close: () => handler.close(),
  };
}

/** How long a client hears of changes before it has to say again who it is. */
const listeningMs = 3_600_000;

function listens(body: unknown): boolean {
  return (body as { readonly method?: unknown } | undefined)?.method === "subscriptions/listen";
}

/** A stream that ends with its client, with this server, and after a while: whose key was revoked does not come back. */
function lasting({ url, method, headers }: Request, signal: AbortSignal): Request {
  return new Request(url, {
    method,
    headers,
    signal: AbortSignal.any([signal, AbortSignal.timeout(listeningMs)]),
  });
}

/** [TRUST 8] The SDK's own carrier, without the token: what never comes in here cannot go on from here. */
function carrying(visit: Visit): AuthInfo {
  return { token: "", clientId: visit.caller.principal.id, scopes: [], extra: { visit } };
}

function visitIn(authInfo: AuthInfo | undefined): Visit {
  const visit = authInfo?.extra?.visit as Visit | undefined;
  if (!visit) throw new Error("an MCP request without its visitor");
  return visit;
}
