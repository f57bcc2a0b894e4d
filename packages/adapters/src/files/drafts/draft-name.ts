import { createHash, randomBytes } from "node:crypto";

/**
 * Returns a name of the form `.paraph-<call>-<attempt>.<random>.tmp`. After a crash, the name shows which call the
 * draft belongs to. Other programs cannot predict the name.
 */
export function createDraftName(call: string, attempt: number): string {
  return `.paraph-${toCallPart(call)}-${attempt}.${randomBytes(8).toString("hex")}.tmp`;
}

export function isDraft(name: string): boolean {
  return /^\.paraph-.+\.tmp$/s.test(name);
}

/**
 * Whether a draft belongs to any attempt of this call. A draft of another call whose id merely starts with this call's
 * id does not count.
 */
export function isDraftOfCall(name: string, call: string): boolean {
  const head = `.paraph-${toCallPart(call)}-`;
  return name.startsWith(head) && /^\d+(\.[0-9a-f]{16})?(\.doomed)?\.tmp$/.test(name.slice(head.length));
}

/** Returns the name of a staged entry that is about to be removed. Paraph does not restore an entry with this name. */
export function toRemovalName(draft: string): string {
  return draft.replace(/\.tmp$/, ".doomed.tmp");
}

export function isMarkedForRemoval(name: string): boolean {
  return name.endsWith(".doomed.tmp");
}

/** Returns the call id, or its hash if the id is not a plain file name. */
function toCallPart(call: string): string {
  return /^[\w-]{1,100}$/.test(call) ? call : createHash("sha256").update(call).digest("hex").slice(0, 32);
}
