export { startChannels } from "./channel-loop.ts";
export { toChannelEndpoint } from "./plan-notices.ts";
