// Every connection to an address that a third party named goes through these agents.
export { createEgressPolicy } from "./egress-policy.ts";
export { createAgent } from "./http-agents.ts";
