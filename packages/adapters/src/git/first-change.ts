import type { Preview } from "@paraph/core";

/** Returns the summary of the first change, which names the commit and the branch. */
export function describeFirstChange(_input: unknown, preview: Preview | undefined): string {
  return preview?.changes[0]?.summary ?? "";
}
