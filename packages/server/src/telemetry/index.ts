export { codeOf } from "./code-of.ts";
export { createLog, type Log } from "./log.ts";
export { startTelemetry, type TelemetryRuntime } from "./start.ts";
