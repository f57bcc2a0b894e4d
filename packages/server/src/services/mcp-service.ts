import type { Desk } from "../mcp/index.ts";
import type { Service } from "./types/service-types.ts";

/** What the MCP surface uses: the same service as every other, and what only its clients need. */
export function deskOver(service: Service, more: Pick<Desk, "facades" | "handOver">): Desk {
  const { call, find, preview, changed, progress, receipt, capabilities, offered, handling } = service;
  return {
    call,
    find,
    preview,
    changed,
    progress,
    receipt,
    capabilities,
    offered,
    ...more,
    undo: (given, asked) => handling.undo(given, asked),
    withdraw: (given) => handling.withdraw(given),
  };
}
