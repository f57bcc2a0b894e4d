import { createHash, randomBytes } from "node:crypto";

/** `.paraph-<call>-<attempt>.<random>.tmp`: whose it is can be told after a crash, what it will be cannot be guessed. */
export function createDraftName(call: string, attempt: number): string {
  return `.paraph-${toCallPart(call)}-${attempt}.${randomBytes(8).toString("hex")}.tmp`;
}

export function isDraft(name: string): boolean {
  return /^\.paraph-.+\.tmp$/s.test(name);
}

/** Of any attempt of this call, and of no call whose id merely begins alike. */
export function isDraftOfCall(name: string, call: string): boolean {
  const head = `.paraph-${toCallPart(call)}-`;
  return name.startsWith(head) && /^\d+(\.[0-9a-f]{16})?(\.doomed)?\.tmp$/.test(name.slice(head.length));
}

/** The name under which a thing set aside awaits its removal: from there on nothing brings it back. */
export function toRemovalName(draft: string): string {
  return draft.replace(/\.tmp$/, ".doomed.tmp");
}

export function isMarkedForRemoval(name: string): boolean {
  return name.endsWith(".doomed.tmp");
}

/** An id that is no plain file name stands in by its hash. */
function toCallPart(call: string): string {
  return /^[\w-]{1,100}$/.test(call) ? call : createHash("sha256").update(call).digest("hex").slice(0, 32);
}
