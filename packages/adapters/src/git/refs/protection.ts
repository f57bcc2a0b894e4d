import { CapabilityError } from "@paraph/core";
import type { GitContext } from "../context.ts";

/** Rejects a protected branch. `main` protects that branch, and `release/*` protects every branch with that prefix. */
export function requireUnprotected({ protect }: GitContext, branch: string): void {
  const isProtected = protect.some((pattern) =>
    pattern.endsWith("*") ? branch.startsWith(pattern.slice(0, -1)) : branch === pattern,
  );
  if (!isProtected) return;
  throw new CapabilityError(
    "permanent",
    "protected",
    `The configuration protects \`${branch}\`. Paraph neither deletes it nor moves it backwards.`,
  );
}
