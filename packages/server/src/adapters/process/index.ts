export type { ProcessCommand, ProcessLimits, ProcessResult, SandboxOptions } from "./command.ts";
export { type InteractiveProcess, startInteractive } from "./converse.ts";
export { isKilled, toProcessFault } from "./fault-of-run.ts";
export { runProcess } from "./run.ts";
export { findSandbox } from "./sandbox-here.ts";
export { findProgram, searchPath } from "./search-path.ts";
