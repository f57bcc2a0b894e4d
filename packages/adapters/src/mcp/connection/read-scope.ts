import { AsyncLocalStorage } from "node:async_hooks";

/** MCP has the same method for all tool calls, so this scope tells the transport that a call only reads. */
const readScope = new AsyncLocalStorage<true>();

export function runAsRead<T>(body: () => T): T {
  return readScope.run(true, body);
}

export function isInsideRead(): boolean {
  return readScope.getStore() === true;
}
