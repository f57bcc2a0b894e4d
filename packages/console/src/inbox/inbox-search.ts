import type { Risk } from "../api/types.ts";

/** The state in the address of the inbox: tab, filters and selection. */
export interface InboxSearch {
  readonly tab?: "others" | "decided" | undefined;
  readonly status?: "denied" | "expired" | undefined;
  readonly risk?: Risk | undefined;
  readonly q?: string | undefined;
  readonly sel?: string | undefined;
}
