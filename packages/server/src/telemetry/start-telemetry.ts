import { createNoopMeter } from "@opentelemetry/api";
import type { Telemetry } from "@paraph/core";
import type { Allowed, spanAttributes } from "./allow-list.ts";
import { createGauges, createInstruments, type GaugeSource } from "./instruments.ts";
import { createTracing } from "./tracing.ts";

/** The options of `startTelemetry`. */
export interface TelemetryOptions {
  readonly service: "paraph";
  readonly version: string;
  readonly role: "api" | "worker" | "all";
  /** Whether `metricsText` is used. A process that neither serves nor exports metrics measures nothing. */
  readonly servesMetrics: boolean;
  /** The collector for traces and metrics (default: `OTEL_EXPORTER_OTLP_ENDPOINT`). */
  readonly otlpEndpoint?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The telemetry of one process. */
export interface TelemetryRuntime {
  readonly telemetry: Telemetry;
  /**
   * The state of the export. With `endpoint-invalid`, the caller should warn that the endpoint is not an HTTP address.
   */
  readonly exporting: "on" | "off" | "endpoint-invalid";
  metricsText(): Promise<string>;
  /** Adds a source of gauges, which is read whenever metrics are collected. */
  addGauges(source: GaugeSource): void;
  /**
   * Runs the body in a span. The span joins the trace that the traceparent names, else the active trace, else a new
   * trace.
   */
  runInTrace<T>(
    name: string,
    traceparent: string | undefined,
    about: Allowed<typeof spanAttributes>,
    body: () => Promise<T>,
  ): Promise<T>;
  /** Returns the traceparent to store with a call, so that later segments stay in the call's trace. */
  currentTraceparent(): string | undefined;
  /** Exports the remaining data, for at most 2.5 seconds. */
  stop(): Promise<void>;
}

/** Starts telemetry with its own providers. It registers nothing globally, and its functions never throw. */
export async function startTelemetry(options: TelemetryOptions): Promise<TelemetryRuntime> {
  const endpoint = readEndpoint(options);
  const isObserved = options.servesMetrics || endpoint.url !== undefined;
  // The SDK is large, so only a process that needs it loads it.
  const sdk = isObserved ? await (await import("./open-sdk.ts")).openSdk(options, endpoint.url) : undefined;
  const { span, runInTrace, currentTraceparent } = createTracing(sdk?.tracer);
  const instruments = sdk?.meter ?? createNoopMeter();
  const record = createInstruments(instruments);
  const measure: Telemetry["measure"] = (name, value, about) => {
    try {
      record(name, value, about);
    } catch {
      // Ignores the error, because losing a measurement is better than failing the caller.
    }
  };
  let stopped: Promise<void> | undefined;
  return {
    telemetry: { span, measure },
    exporting: endpoint.exporting,
    metricsText: sdk?.metricsText ?? (async () => ""),
    addGauges: createGauges(instruments),
    runInTrace,
    currentTraceparent,
    stop: () => {
      stopped ??= waitBriefly(sdk?.shutdown() ?? []);
      return stopped;
    },
  };
}

function readEndpoint({ otlpEndpoint, env = process.env }: TelemetryOptions): {
  readonly exporting: TelemetryRuntime["exporting"];
  readonly url?: string;
} {
  const url = otlpEndpoint ?? env.OTEL_EXPORTER_OTLP_ENDPOINT ?? "";
  if (url === "") return { exporting: "off" };
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return { exporting: "endpoint-invalid" };
  return { exporting: "on", url };
}

async function waitBriefly(work: readonly Promise<void>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 2_500);
  });
  await Promise.race([Promise.allSettled(work), late]);
  clearTimeout(timer);
}
