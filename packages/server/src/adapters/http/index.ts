import { defineAdapter } from "@paraph/core";
import { createEgressPolicy } from "../../outbound/egress-policy.ts";
import { createHttpAgents } from "../../outbound/http-agents.ts";
import {
  createHttpDeleteCapability,
  createHttpGetCapability,
  createHttpRequestCapability,
} from "./capabilities.ts";
import { httpAdapterConfig } from "./config.ts";
import type { HttpContext } from "./perform-request.ts";

/** Web addresses of hosts that are named: read, send and delete, with each host's credential put in here. */
export const http = defineAdapter({
  kind: "http",
  config: httpAdapterConfig,
  open: (config, { name }) => {
    const ways = createHttpAgents(createEgressPolicy(config.allow));
    const setting: HttpContext = { name, config, agents: ways };
    const capabilities = [
      createHttpGetCapability(setting),
      createHttpRequestCapability(setting),
      createHttpDeleteCapability(setting),
    ];
    return { capabilities: async () => capabilities, close: () => ways.close() };
  },
});
