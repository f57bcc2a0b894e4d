import type { Question } from "@paraph/core";
import type { CallValues } from "../cedar-request.ts";

/** Whether a request is one of the sample. The choice depends on the request alone, so that it can be repeated. */
export function isSampled(
  { principal, contract, discharged }: Question,
  values: CallValues,
  interval: number,
): boolean {
  const hash = hashText(JSON.stringify([principal.id, contract.name, discharged, values]));
  // The lower bits of the hash depend on only the lower bits of each character.
  return (hash >>> 16) % interval === 0;
}

const maxCharacters = 1_024;

/** Computes a hash of 32 bits in the way of FNV-1a. It reads only the start of a long text, which is enough here. */
function hashText(text: string): number {
  let hash = 0;
  const end = Math.min(text.length, maxCharacters);
  for (let at = 0; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
