import type { Context } from "hono";
import { parseTraceparent } from "../../telemetry/traceparent.ts";

/** Returns the caller's W3C trace context, or undefined if it is missing or invalid. */
export function readTraceparentHeader(c: Context): string | undefined {
  const given = c.req.header("traceparent");
  return parseTraceparent(given) ? given : undefined;
}
