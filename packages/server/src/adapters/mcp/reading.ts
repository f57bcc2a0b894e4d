import { AsyncLocalStorage } from "node:async_hooks";

/** The protocol has one method for every call, so what only reads is told to the transport beside it. */
const reads = new AsyncLocalStorage<true>();

export function reading<T>(body: () => T): T {
  return reads.run(true, body);
}

export function isReading(): boolean {
  return reads.getStore() === true;
}
