import { CapabilityError, defineAdapter, ParaphError } from "@paraph/core";
import { createEgressPolicy } from "../egress/egress-policy.ts";
import { createHttpAgents } from "../egress/http-agents.ts";
import {
  createHttpDeleteCapability,
  createHttpGetCapability,
  createHttpRequestCapability,
} from "./capabilities.ts";
import { type HttpAdapterConfig, httpAdapterConfig } from "./config.ts";
import { createResourceObserver } from "./observe.ts";
import type { HttpContext } from "./perform-request.ts";
import { requireAllowedUrl } from "./request-url.ts";

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
    requireWatchedHosts(config, name);
    return {
      capabilities: async () => capabilities,
      ...(config.watch.length > 0 && { observe: createResourceObserver(httpContext) }),
      close: () => agents.close(),
    };
  },
});

/** Rejects a watched URL that a call of `get` could not read either. */
function requireWatchedHosts(config: HttpAdapterConfig, name: string): void {
  try {
    for (const url of config.watch) requireAllowedUrl(url, config);
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: a URL in \`watch\` is not allowed. ${error.message}`,
    );
  }
}
