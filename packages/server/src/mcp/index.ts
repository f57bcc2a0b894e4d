export { createMcpGateway } from "./gateway.ts";
export type { McpService } from "./mcp-service.ts";
