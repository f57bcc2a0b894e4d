import { createHash, randomBytes } from "node:crypto";

/** `.paraph-<call>-<attempt>.<random>.tmp`: whose it is can be told after a crash, what it will be cannot be guessed. */
export function draftName(call: string, attempt: number): string {
  return `.paraph-${callPart(call)}-${attempt}.${randomBytes(8).toString("hex")}.tmp`;
}

export function isDraft(name: string): boolean {
  return /^\.paraph-.+\.tmp$/s.test(name);
}

/** Of any attempt of this call, and of no call whose id merely begins alike. */
export function isDraftOf(name: string, call: string): boolean {
  const head = `.paraph-${callPart(call)}-`;
  return name.startsWith(head) && /^\d+(\.[0-9a-f]{16})?\.tmp$/.test(name.slice(head.length));
}

/** An id that is no plain file name stands in by its hash. */
function callPart(call: string): string {
  return /^[\w-]{1,100}$/.test(call) ? call : createHash("sha256").update(call).digest("hex").slice(0, 32);
}
