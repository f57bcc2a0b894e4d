import type { Call } from "../api/types.ts";
import { isObject } from "../lib/json.ts";

/** Returns the fingerprint of the key that a call enrols, from its preview. */
export function readFingerprint({ preview }: Call): string | undefined {
  const details = preview?.changes[0]?.details;
  return isObject(details) && typeof details.fingerprint === "string" ? details.fingerprint : undefined;
}
