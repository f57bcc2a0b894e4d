import { defineAdapter } from "@paraph/core";
import { createCodingCapabilities } from "./capabilities.ts";
import { codingConfig } from "./config.ts";

/**
 * The adapter for the built-in tools of coding agents. `paraph hook` asks Paraph about each use of such a tool. The
 * agents run these tools, and Paraph never does.
 */
export const codingAgent = defineAdapter({
  kind: "coding-agent",
  config: codingConfig,
  open: (config, { name }) => {
    const capabilities = createCodingCapabilities(name, config ?? {});
    return { capabilities: async () => capabilities };
  },
});
