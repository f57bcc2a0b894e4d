import { defineAdapter } from "@paraph/core";
import { waysWithin } from "../../outbound/connect.ts";
import { reachOf } from "../../outbound/reach.ts";
import { deleteCapability, getCapability, requestCapability } from "./capabilities.ts";
import { httpConfig } from "./config.ts";
import type { Setting } from "./perform.ts";

/** Web addresses of hosts that are named: read, send and delete, with each host's credential put in here. */
export const http = defineAdapter({
  kind: "http",
  config: httpConfig,
  open: (config, { name }) => {
    const ways = waysWithin(reachOf(config.allow));
    const setting: Setting = { name, config, ways };
    const capabilities = [getCapability(setting), requestCapability(setting), deleteCapability(setting)];
    return { capabilities: async () => capabilities, close: () => ways.close() };
  },
});
