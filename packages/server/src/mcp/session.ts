import { randomUUID } from "node:crypto";
import { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import { type Session, sha256Hex } from "@paraph/core";

/**
 * What groups an agent's calls: its client, by the name it gives itself, since a conversation goes on in another process, and
 * under another connection, than the one that gave up. Nothing is kept about it here: an older client is handed a name when it
 * begins, which says what has to be known of it later; a newer one says who it is with every request. Somebody else's name is
 * of no use to anybody, since calls are looked up with their principal.
 */
export interface McpSession {
  readonly session: Session & { readonly session: string };
  readonly canOpenPages: boolean;
}

export const sessionHeader = "mcp-session-id";

/** Which client, which connection of it, and whether it opens pages. */
const issuedSessionPattern = /^([0-9a-f]{24})\.([0-9a-f-]{36})(\.pages)?$/;
/** A client's own name for what belongs together. */
const chosenSessionPattern = /^[A-Za-z0-9-]{8,64}$/;

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

/** The name for a client that begins; undefined where this request does not begin anything. */
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

/** MCP knows pages to open since 2025-11-25. Codex declares them in an older era, and takes being asked for a failure. */
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
