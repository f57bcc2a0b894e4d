export type { HandleContext } from "./channel.ts";
export { startChannels } from "./channel-loop.ts";
export { toChannelEndpoint } from "./plan-notices.ts";
