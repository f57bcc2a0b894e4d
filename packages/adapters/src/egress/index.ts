// Every connection to an address from a third party goes through an agent that `createAgent` creates.
export { createEgressPolicy, createPolicyForHosts } from "./egress-policy.ts";
export { createAgent } from "./http-agents.ts";
