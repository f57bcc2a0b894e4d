import type { McpService } from "../mcp/index.ts";
import type { ParaphService } from "./types/service-types.ts";

/** Creates the service for MCP: the shared service, and what only MCP clients need. */
export function createMcpService(
  service: ParaphService,
  more: Pick<McpService, "getFacades" | "markDelivered">,
): McpService {
  const {
    requestCall: call,
    findCall: find,
    previewCall: preview,
    waitForChange: changed,
    readProgress: progress,
    findReceipt: receipt,
    listCapabilities: capabilities,
    listAllowedCapabilities: offered,
    actions: handling,
  } = service;
  return {
    requestCall: call,
    findCall: find,
    previewCall: preview,
    waitForChange: changed,
    readProgress: progress,
    findReceipt: receipt,
    listCapabilities: capabilities,
    listAllowedCapabilities: offered,
    ...more,
    undo: (given, asked) => handling.undo(given, asked),
    withdraw: (given) => handling.withdraw(given),
  };
}
