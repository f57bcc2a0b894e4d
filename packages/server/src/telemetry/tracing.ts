import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { filterAllowed, spanAttributes, toSpanName } from "./allow-list.ts";
import { toErrorCode } from "./error-code.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";
import { isCode } from "./value-shapes.ts";

/** The spans of this process. The active span is kept here, not in OpenTelemetry's globals. */
export interface Tracing {
  span<T>(name: string, about: object, body: () => Promise<T>): Promise<T>;
  runInTrace<T>(
    name: string,
    traceparent: string | undefined,
    about: object,
    body: () => Promise<T>,
  ): Promise<T>;
  currentTraceparent(): string | undefined;
}

/** Creates the tracing. Without a tracer nothing is recorded, but outgoing requests still carry the trace context. */
export function createTracing(tracer: Tracer | undefined): Tracing {
  const active = new AsyncLocalStorage<SpanContext>();

  function start(
    name: string,
    about: object,
    parent: SpanContext | undefined,
    kind: SpanKind,
  ): Span | undefined {
    if (!tracer) return undefined;
    const attributes = filterAllowed(spanAttributes, about);
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    return tracer.startSpan(toSpanName(name), { kind, attributes }, context);
  }

  async function run<T>(begin: () => StartedSpan | undefined, body: () => Promise<T>): Promise<T> {
    const begun = ignoreErrors(begin);
    if (!begun) return body();
    const { span, context } = begun;
    if (!span) return active.run(context, body);
    try {
      const result = await active.run(context, body);
      ignoreErrors(() => finishSpan(span, findFault(result)));
      return result;
    } catch (error) {
      ignoreErrors(() => finishSpan(span, toErrorCode(error)));
      throw error;
    }
  }

  return {
    span: (name, about, body) =>
      run(() => {
        const span = start(name, about, active.getStore(), SpanKind.INTERNAL);
        return span && { span, context: span.spanContext() };
      }, body),
    runInTrace: (name, traceparent, about, body) =>
      run(() => {
        const context = active.getStore();
        const parent = chooseParent(context, parseTraceparent(traceparent));
        const span = start(name, about, parent, context ? SpanKind.INTERNAL : SpanKind.SERVER);
        return { span, context: span?.spanContext() ?? parent ?? createTrace() };
      }, body),
    currentTraceparent: () => {
      const context = active.getStore();
      return context && formatTraceparent(context);
    },
  };
}

interface StartedSpan {
  readonly span: Span | undefined;
  readonly context: SpanContext;
}

/**
 * Returns the traceparent's context if its trace differs from the trace of the active span. Otherwise returns the
 * context of the active span, because the traceparent names only the start of the trace.
 */
function chooseParent(
  context: SpanContext | undefined,
  spanContext: SpanContext | undefined,
): SpanContext | undefined {
  return spanContext && spanContext.traceId !== context?.traceId ? spanContext : context;
}

function createTrace(): SpanContext {
  return { traceId: createId(16), spanId: createId(8), traceFlags: TraceFlags.NONE };
}

const createId = (bytes: number) => randomBytes(bytes).toString("hex");

function finishSpan(span: Span, fault: string | undefined): void {
  if (fault !== undefined) {
    span.setAttribute("error.type", fault);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** Returns the code of a capability's fault. Core returns such a fault as a value and does not throw it. */
function findFault(result: unknown): string | undefined {
  const { kind, fault } = (result ?? {}) as { kind?: unknown; fault?: { code?: unknown } };
  if (kind !== "fault") return undefined;
  return isCode(fault?.code) ? fault.code : "error";
}

/** Ignores errors of telemetry, so that they never affect the caller. */
function ignoreErrors<T>(body: () => T): T | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}
