export type { HandleContext } from "./channel.ts";
export { type ChannelsDeps, startChannels } from "./channel-loop.ts";
export { toChannelEndpoint } from "./plan-notices.ts";
