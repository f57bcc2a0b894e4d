import { createHash } from "node:crypto";

/**
 * Converts an operation id such as `getUserById` or `users/get-by-id` to the last part of a capability's name. If there
 * is no operation id, the function uses the method and the path.
 */
export function toVerb(method: string, path: string, operationId: string | undefined): string {
  const own = operationId === undefined ? "" : toSnakeCase(operationId);
  return shortenVerb(own === "" ? toSnakeCase(`${method.toLowerCase()} ${path}`) : own);
}

function toSnakeCase(text: string): string {
  return (
    text
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
      // [TRUST 24] A pattern for all capital letters of a word would take quadratic time.
      .replaceAll(/([A-Z])(?=[A-Z][a-z])/g, "$1_")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "_")
      .replaceAll(/^_+|_+$/g, "")
      .replace(/^(?=\d)/, "op_")
  );
}

const maxVerbLength = 64;

/** Adds a hash to a shortened verb, so that long verbs with the same beginning stay different. */
function shortenVerb(verb: string): string {
  if (verb.length <= maxVerbLength) return verb;
  return `${verb.slice(0, maxVerbLength - 9)}_${createHash("sha256").update(verb).digest("hex").slice(0, 8)}`;
}
