import { isSpanContextValid, type SpanContext } from "@opentelemetry/api";

const traceparentPattern = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses a W3C trace context, or returns undefined if it is invalid. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags, more] = traceparentPattern.exec(text ?? "") ?? [];
  if (!traceId || !spanId || !flags || (version === "00" && more)) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

/** Formats a span context as a W3C traceparent. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, "0")}`;
}
