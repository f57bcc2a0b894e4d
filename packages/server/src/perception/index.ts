export { startPerceiving } from "./perceiver.ts";
export type { Perceptions } from "./perceptions.ts";
export { type ObserveConfig, watchedFrom } from "./watched.ts";
