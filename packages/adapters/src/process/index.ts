export type { ProcessCommand, ProcessLimits, ProcessResult, SandboxOptions } from "./command.ts";
export { type InteractiveProcess, startInteractive } from "./interactive.ts";
export { isKilled, toProcessFault } from "./process-fault.ts";
export { runProcess } from "./run.ts";
export { findSandbox } from "./sandbox/find-sandbox.ts";
export { isSystemPath } from "./sandbox/sandbox.ts";
export { findProgram, searchPath } from "./search-path.ts";
