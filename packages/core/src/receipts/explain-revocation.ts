/** Explains why a valid signature of a revoked key proves little. `from` is the time of the revocation, for people. */
export function explainRevocation(what: "receipt" | "archive", from: string): string {
  return `The key of this ${what} is revoked from ${from} on. The ${what} claims an earlier time, but a thief of the key can write any time into a ${what}. Rely on it only if you had this file before that time, or if the operator's database has the same ${what}.`;
}
