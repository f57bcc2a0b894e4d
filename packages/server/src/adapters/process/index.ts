export type { Command, Limits, Ran, Sandbox } from "./command.ts";
export { faultOfRun } from "./fault-of-run.ts";
export { run } from "./run.ts";
export { sandboxHere } from "./sandbox-here.ts";
