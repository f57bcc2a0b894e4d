export type { Desk } from "./desk.ts";
export { mcpGateway } from "./gateway.ts";
