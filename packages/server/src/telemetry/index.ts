export { toErrorCode } from "./error-code.ts";
export type { GaugeSource } from "./instruments.ts";
export { createLog, type Log } from "./log.ts";
export { type MetricsAddress, serveMetrics } from "./serve-metrics.ts";
export { startTelemetry, type TelemetryRuntime } from "./start-telemetry.ts";
