import type { JsonObject } from "@paraph/core";
import type { ApiDocument } from "./document.ts";
import { toList, toObject, UnusableOperation } from "./document-node.ts";

/**
 * Returns the server of an operation. If no server is configured, the function uses the first server of the operation,
 * the path or the document, in this order.
 */
export function findServer(
  { root, from }: ApiDocument,
  path: JsonObject,
  operation: JsonObject,
  configured: string | undefined,
): URL {
  if (configured !== undefined) return new URL(configured);
  const [server] = [operation, path, root]
    .map(({ servers }) => toObject(toList(servers)[0]))
    .filter(({ url }) => url);
  const text = String(server?.url ?? "/").replaceAll(/\{([^{}]*)\}/g, (_, name: string) =>
    String(toObject(toObject(server?.variables)[name]).default ?? ""),
  );
  const url = URL.canParse(text, from?.href) ? new URL(text, from?.href) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new UnusableOperation("the document has no usable server URL: configure `server`");
  return url;
}
