import { randomUUID } from "node:crypto";
import { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import { sha256Hex } from "@paraph/core";

/**
 * What groups an agent's calls. Nothing is kept about it here: an older client is handed a name when it begins, which says
 * what has to be known of it later; a newer one says who it is with every request. Somebody else's name is of no use to
 * anybody, since calls are looked up with their principal.
 */
export interface McpSession {
  readonly session: string;
  readonly opensPages: boolean;
}

export const sessionHeader = "mcp-session-id";

const form = /^[A-Za-z0-9-]{8,64}(\.pages)?$/;

export function sessionOf(header: string | undefined, body: unknown): McpSession {
  if (header !== undefined && form.test(header))
    return { session: `mcp:${header.replace(/\..*$/, "")}`, opensPages: header.endsWith(".pages") };
  return { session: `mcp:${sha256Hex(JSON.stringify(clientOf(body))).slice(0, 24)}`, opensPages: false };
}

/** The name for a client that begins; undefined where this request does not begin anything. */
export function begunBy(body: unknown): string | undefined {
  const { method, params } = (body ?? {}) as {
    readonly method?: unknown;
    readonly params?: { readonly capabilities?: { readonly elicitation?: { readonly url?: unknown } } };
  };
  if (method !== "initialize") return undefined;
  return `${randomUUID()}${params?.capabilities?.elicitation?.url ? ".pages" : ""}`;
}

function clientOf(body: unknown): unknown {
  const { params } = (body ?? {}) as { readonly params?: { readonly _meta?: Record<string, unknown> } };
  const info = params?._meta?.[CLIENT_INFO_META_KEY] as { readonly name?: unknown } | undefined;
  return [typeof info?.name === "string" ? info.name : "unnamed"];
}
