import type { McpService } from "../mcp/index.ts";
import type { ParaphService } from "./types/service-types.ts";

/** Creates the service for MCP: the shared service, and what only MCP clients need. */
export function createMcpService(
  service: ParaphService,
  more: Pick<McpService, "getFacades" | "markDelivered">,
): McpService {
  const {
    requestCall,
    findCall,
    previewCall,
    waitForChange,
    readProgress,
    findReceipt,
    listCapabilities,
    listAllowedCapabilities,
    actions,
  } = service;
  return {
    requestCall,
    findCall,
    previewCall,
    waitForChange,
    readProgress,
    findReceipt,
    listCapabilities,
    listAllowedCapabilities,
    ...more,
    undo: (call, asked) => actions.undo(call, asked),
    withdraw: (given) => actions.withdraw(given),
  };
}
