export type { Command, Limits, Ran, Sandbox } from "./command.ts";
export { type Conversation, converse } from "./converse.ts";
export { faultOfRun, isKilled } from "./fault-of-run.ts";
export { run } from "./run.ts";
export { sandboxHere } from "./sandbox-here.ts";
export { programOf, searchPath } from "./search-path.ts";
