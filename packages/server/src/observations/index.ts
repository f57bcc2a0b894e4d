export { startPerceiving } from "./perceiver.ts";
export type { Perceptions } from "./perceptions.ts";
export { type ObserveConfig, observeSchema, watchedFrom } from "./watched.ts";
