import { AsyncLocalStorage } from "node:async_hooks";

/** The protocol has one method for every call, so what only reads is told to the transport beside it. */
const readScope = new AsyncLocalStorage<true>();

export function runAsRead<T>(body: () => T): T {
  return readScope.run(true, body);
}

export function isInsideRead(): boolean {
  return readScope.getStore() === true;
}
