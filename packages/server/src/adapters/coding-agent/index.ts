import { defineAdapter } from "@paraph/core";
import { createCodingCapabilities } from "./capabilities.ts";
import { codingConfig } from "./config.ts";

/** What coding agents do with tools of their own, which `paraph hook` asks about before it happens. Only they perform it. */
export const codingAgent = defineAdapter({
  kind: "coding-agent",
  config: codingConfig,
  open: (config, { name }) => {
    const capabilities = createCodingCapabilities(name, config ?? {});
    return { capabilities: async () => capabilities };
  },
});
