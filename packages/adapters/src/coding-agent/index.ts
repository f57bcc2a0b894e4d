import { defineAdapter } from "@paraph/core";
import { createCodingCapabilities } from "./capabilities.ts";
import { codingConfig } from "./config.ts";

/** The adapter for the own tools of coding agents, about which `paraph hook` asks. Only the agents perform them. */
export const codingAgent = defineAdapter({
  kind: "coding-agent",
  config: codingConfig,
  open: (config, { name }) => {
    const capabilities = createCodingCapabilities(name, config ?? {});
    return { capabilities: async () => capabilities };
  },
});
