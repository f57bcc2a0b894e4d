import type { Service } from "./http/service.ts";
import type { Desk } from "./mcp/index.ts";

/** What the MCP surface uses: the same service as every other, and what only its clients need. */
export function deskOver(service: Service, more: Pick<Desk, "offered" | "facades" | "handOver">): Desk {
  const { call, find, preview, changed, progress, receipt, capabilities, handling } = service;
  return {
    ...{ call, find, preview, changed, progress, receipt, capabilities, ...more },
    undo: (given, asked) => handling.undo(given, asked),
    withdraw: (given) => handling.withdraw(given),
  };
}
