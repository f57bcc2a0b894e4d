import { AsyncLocalStorage } from "node:async_hooks";
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
import { RandomIdGenerator } from "@opentelemetry/sdk-trace";
import { filterAllowed, spanAttributes, toSpanName } from "./allow-list.ts";
import { toErrorCode } from "./error-code.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";
import { isCode } from "./value-shapes.ts";

/** Spans of this process. Where a span runs is kept here, not in OpenTelemetry's globals. */
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

/** `tracer` undefined: nothing is recorded, but whoever we call learns which trace it belongs to. */
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
        const here = active.getStore();
        const parent = chooseParent(here, parseTraceparent(traceparent));
        const span = start(name, about, parent, here ? SpanKind.INTERNAL : SpanKind.SERVER);
        return { span, context: span?.spanContext() ?? parent ?? createTrace() };
      }, body),
    currentTraceparent: () => {
      const here = active.getStore();
      return here && formatTraceparent(here);
    },
  };
}

interface StartedSpan {
  readonly span: Span | undefined;
  readonly context: SpanContext;
}

/** Inside a span of the same trace that span is the parent; the traceparent only names where it began. */
function chooseParent(
  here: SpanContext | undefined,
  given: SpanContext | undefined,
): SpanContext | undefined {
  return given && given.traceId !== here?.traceId ? given : here;
}

function createTrace(): SpanContext {
  return { traceId: ids.generateTraceId(), spanId: ids.generateSpanId(), traceFlags: TraceFlags.NONE };
}

const ids = new RandomIdGenerator();

function finishSpan(span: Span, fault: string | undefined): void {
  if (fault !== undefined) {
    span.setAttribute("error.type", fault);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** Core gives back what went wrong in a capability as a value. */
function findFault(result: unknown): string | undefined {
  const { kind, fault } = (result ?? {}) as { kind?: unknown; fault?: { code?: unknown } };
  if (kind !== "fault") return undefined;
  return isCode(fault?.code) ? fault.code : "error";
}

/** Telemetry that fails costs the caller nothing. */
function ignoreErrors<T>(body: () => T): T | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}
