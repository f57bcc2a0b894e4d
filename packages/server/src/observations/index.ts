export { type PollConfig, pollConfigSchema, toPollSchedules } from "./poll-config.ts";
export type { PollStore } from "./poll-store.ts";
export { startPoller } from "./poller.ts";
