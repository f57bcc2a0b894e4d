// What a service's code imports to host capabilities. Runs wherever fetch does; `./node.ts` brings the HTTP server.
export { CapabilityError, defineCapability, type ExecutionContext } from "@paraph/core";
export { type Handler, servingHandler } from "./handler.ts";
export type { Hosting } from "./hosted.ts";
export { newKeyPair } from "./key-pair.ts";
export type { ServingOptions } from "./service.ts";
