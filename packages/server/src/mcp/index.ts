export { createMcpGateway } from "./gateway.ts";
