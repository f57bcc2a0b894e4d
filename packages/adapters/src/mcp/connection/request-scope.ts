import { AsyncLocalStorage } from "node:async_hooks";

/** The facts about a request that the HTTP transport needs and that MCP does not contain. */
export interface RequestScope {
  /** Whether the call only reads. MCP uses one method for all tool calls. */
  readonly isRead: boolean;
  /** Runs when the response exceeds the size limit. Otherwise, the MCP client waits for the rest of a stream. */
  readonly onTooLarge: () => void;
}

const requestScope = new AsyncLocalStorage<RequestScope>();

export function runInRequestScope<T>(scope: RequestScope, body: () => T): T {
  return requestScope.run(scope, body);
}

export function getRequestScope(): RequestScope | undefined {
  return requestScope.getStore();
}
