export { startPoller } from "./perceiver.ts";
export type { PollStore } from "./perceptions.ts";
export { type PollConfig, pollConfigSchema, toPollSchedules } from "./watched.ts";
