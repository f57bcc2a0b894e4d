import { formatTimestamp } from "../../lib/terminal/format-time.ts";

/** Explains why a valid signature of a revoked key proves little. */
export function explainRevocation(what: "receipt" | "archive", at: number): string {
  return `The key of this ${what} is revoked from ${formatTimestamp(at)} on. The ${what} claims an earlier time, but a thief of the key can write any time into a ${what}. Rely on it only if you had this file before that time, or if the operator's database has the same ${what}.`;
}
