export type { Desk } from "./desk.ts";
export { type Gateway, mcpGateway } from "./gateway.ts";
