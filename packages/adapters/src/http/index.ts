import { defineAdapter } from "@paraph/core";
import { createEgressPolicy } from "../egress/egress-policy.ts";
import { createHttpAgents } from "../egress/http-agents.ts";
import {
  createHttpDeleteCapability,
  createHttpGetCapability,
  createHttpRequestCapability,
} from "./capabilities.ts";
import { httpAdapterConfig } from "./config.ts";
import type { HttpContext } from "./perform-request.ts";

/**
 * The adapter for URLs of configured hosts, with the capabilities get, request and delete. The adapter adds each host's
 * credential.
 */
export const http = defineAdapter({
  kind: "http",
  config: httpAdapterConfig,
  open: (config, { name }) => {
    const agents = createHttpAgents(createEgressPolicy(config.allow));
    const httpContext: HttpContext = { name, config, agents };
    const capabilities = [
      createHttpGetCapability(httpContext),
      createHttpRequestCapability(httpContext),
      createHttpDeleteCapability(httpContext),
    ];
    return { capabilities: async () => capabilities, close: () => agents.close() };
  },
});
