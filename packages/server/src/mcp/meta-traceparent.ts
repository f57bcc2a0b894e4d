import { TRACEPARENT_META_KEY } from "@modelcontextprotocol/server";

/** Returns the W3C trace context in the request's `_meta`, or undefined if it is missing or invalid. */
export function readMetaTraceparent(body: unknown): string | undefined {
  const { params } = (body ?? {}) as { readonly params?: { readonly _meta?: Record<string, unknown> } };
  const given = params?._meta?.[TRACEPARENT_META_KEY];
  if (typeof given !== "string") return undefined;
  const [, trace, span] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(given) ?? [];
  const isNamed = [trace, span].every((id) => id !== undefined && !/^0+$/.test(id));
  return isNamed ? given : undefined;
}
