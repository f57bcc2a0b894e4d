import { CapabilityError } from "@paraph/core";

/**
 * Headers that an agent may not set. They decide the destination, the identity, the framing or the effective method of
 * a request.
 */
const reservedHeaders = new Set([
  ...[
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "http2-settings",
    "expect",
  ],
  ...["host", "content-length", "authorization", "cookie", "set-cookie", "origin", "referer", "user-agent"],
  ...["forwarded", "via", "x-real-ip", "accept-encoding", "idempotency-key"],
  ...["x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url"],
]);

/** Whether an agent may ever set a header of this name. */
export function isAgentHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    /^[a-z0-9-]{1,64}$/.test(lower) &&
    !reservedHeaders.has(lower) &&
    !/^(proxy-|sec-|x-forwarded-|:)/.test(lower)
  );
}

/**
 * Returns the value if a header can contain it, and throws otherwise. Only visible ASCII is allowed, so that a value
 * cannot start another header.
 */
export function requireHeaderValue(name: string, value: string): string {
  if (value.length <= 8_192 && /^[\x20-\x7e\t]*$/.test(value)) return value;
  throw new CapabilityError(
    "permanent",
    "header-invalid",
    `The header \`${name}\` is too long or contains invalid characters. Send at most 8,192 visible ASCII characters on one line.`,
  );
}
