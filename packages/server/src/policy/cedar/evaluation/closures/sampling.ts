import type { Question } from "@paraph/core";
import type { CallValues } from "../cedar-request.ts";

/** One of this many requests is also evaluated by Cedar. Cedar takes about 50 times as long as closures. */
export const samplingInterval = 128;

/** Whether Cedar also evaluates the request. The choice depends on the request alone, so that it can be repeated. */
export function isSampled({ principal, contract, discharged }: Question, values: CallValues): boolean {
  const hash = digestValue([principal.id, contract.name, discharged, values]);
  // The lower bits of the hash depend on only the lower bits of each word.
  return (hash >>> 16) % samplingInterval === 0;
}

const maxCharacters = 64;
const maxMembers = 16;

/** Computes a 32-bit FNV-1a hash. It reads only the start of long texts and lists, which is enough for a sample. */
export function digestValue(value: unknown, hash = 0x811c9dc5): number {
  if (typeof value === "string") {
    let next = mix(hash, value.length);
    for (let at = 0; at < value.length && at < maxCharacters; at += 1) next = mix(next, value.charCodeAt(at));
    return next;
  }
  if (typeof value === "number") return mix(mix(hash, value), value / 2 ** 32);
  if (typeof value !== "object" || value === null) return mix(hash, value ? 1 : 2);
  const members = Object.entries(value).slice(0, maxMembers);
  return members.reduce((next, [name, member]) => digestValue(member, digestValue(name, next)), hash);
}

function mix(hash: number, word: number): number {
  return Math.imul(hash ^ word, 0x01000193) >>> 0;
}
