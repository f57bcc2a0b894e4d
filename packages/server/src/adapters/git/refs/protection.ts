import { CapabilityError } from "@paraph/core";
import type { GitContext } from "../context.ts";

/** `main` protects that branch, `release/*` all whose name begins so. */
export function requireUnprotected({ protect }: GitContext, branch: string): void {
  const isProtected = protect.some((pattern) =>
    pattern.endsWith("*") ? branch.startsWith(pattern.slice(0, -1)) : branch === pattern,
  );
  if (!isProtected) return;
  throw new CapabilityError(
    "permanent",
    "protected",
    `The configuration protects \`${branch}\`: it is neither deleted nor moved back.`,
  );
}
