import { randomUUID } from "node:crypto";
import { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import { type Session, sha256Hex } from "@paraph/core";

/**
 * The session that groups an agent's calls. It is identified by the name of the client, because a conversation may
 * continue in another process or connection. Paraph stores nothing about the session. An older client gets a session id
 * at initialization, and this id carries the data that later requests need. A newer client identifies itself with every
 * request. Another client's session id gives no access, because Paraph looks up calls by their principal.
 */
export interface McpSession {
  readonly session: Session & { readonly session: string };
  readonly canOpenPages: boolean;
}

export const sessionHeader = "mcp-session-id";

/**
 * A session id that Paraph issued: the digest of the client's name, the id of its connection, and whether the client
 * opens pages.
 */
const issuedSessionPattern = /^([0-9a-f]{24})\.([0-9a-f-]{36})(\.pages)?$/;
/** A session id that the client chose itself. */
const chosenSessionPattern = /^[A-Za-z0-9-]{8,64}$/;

/** Returns the session of a request, by its session header or by the client's name. */
export function resolveSession(header: string | undefined, body: unknown): McpSession {
  const [, client, thread, pages] = issuedSessionPattern.exec(header ?? "") ?? [];
  if (client !== undefined && thread !== undefined)
    return { session: { session: `mcp:${client}`, thread }, canOpenPages: pages !== undefined };
  const name =
    header !== undefined && chosenSessionPattern.test(header)
      ? header
      : digestClientName(readClientInfo(body));
  return { session: { session: `mcp:${name}` }, canOpenPages: false };
}

/** Returns the session id for an initializing client, or undefined for any other request. */
export function createSessionId(body: unknown): string | undefined {
  const { method, params } = (body ?? {}) as {
    readonly method?: unknown;
    readonly params?: InitializeParams | null;
  };
  if (method !== "initialize") return undefined;
  return `${digestClientName(params?.clientInfo)}.${randomUUID()}${canOpenPages(params ?? {}) ? ".pages" : ""}`;
}

interface InitializeParams {
  readonly protocolVersion?: unknown;
  readonly capabilities?: { readonly elicitation?: { readonly url?: unknown } };
  readonly clientInfo?: unknown;
}

/**
 * Returns whether the client opens pages. Paraph ignores the declaration of a client whose protocol version is older
 * than 2025-11-25, because MCP introduced page requests in that version. For example, Codex declares support with an
 * older version, but treats a page request as a failure.
 */
function canOpenPages({ protocolVersion, capabilities }: InitializeParams): boolean {
  const isKnown = typeof protocolVersion === "string" && protocolVersion >= "2025-11-25";
  return isKnown && Boolean(capabilities?.elicitation?.url);
}

function readClientInfo(body: unknown): unknown {
  const { params } = (body ?? {}) as { readonly params?: { readonly _meta?: Record<string, unknown> } };
  return params?._meta?.[CLIENT_INFO_META_KEY];
}

function digestClientName(info: unknown): string {
  const { name } = (info ?? {}) as { readonly name?: unknown };
  return sha256Hex(JSON.stringify([typeof name === "string" ? name : "unnamed"])).slice(0, 24);
}
