export type { McpService } from "./desk.ts";
export { createMcpGateway } from "./gateway.ts";
