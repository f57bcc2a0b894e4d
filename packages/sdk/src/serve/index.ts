// Entry point for services that host capabilities. It runs in every runtime that has `fetch`. `./node.ts` adds the HTTP
// server.
export { CapabilityError, defineCapability, type ExecutionContext } from "@paraph/core";
export { createServingHandler, type Handler } from "./handler.ts";
export type { ServedCapability } from "./hosted-capability.ts";
export { createKeyPair } from "./key-pair.ts";
export type { ServingOptions } from "./service.ts";
