import type { Risk } from "../api/types.ts";
import type { StepFilter } from "../plans/step-list.tsx";

/** The state in the address of the inbox: tab, filters and selection. */
export interface InboxSearch {
  readonly tab?: "others" | "decided" | undefined;
  readonly status?: "denied" | "expired" | undefined;
  readonly risk?: Risk | undefined;
  readonly q?: string | undefined;
  readonly sel?: string | undefined;
  /** The filter of the steps of an open plan. */
  readonly steps?: StepFilter | undefined;
}
