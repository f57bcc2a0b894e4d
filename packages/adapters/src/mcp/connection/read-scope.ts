import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Marks a call that only reads. The transport cannot tell reads from writes by itself, because MCP uses one method for
 * all tool calls.
 */
const readScope = new AsyncLocalStorage<true>();

export function runAsRead<T>(body: () => T): T {
  return readScope.run(true, body);
}

export function isInsideRead(): boolean {
  return readScope.getStore() === true;
}
