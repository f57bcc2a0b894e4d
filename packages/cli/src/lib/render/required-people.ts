import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { GuardView } from "../api/api-views.ts";

/** Formats how many people must approve, and of which group. */
export function formatRequiredPeople({ quorum, group }: Pick<GuardView, "quorum" | "group">): string {
  const people = quorum === 1 ? "one person" : `${quorum} people`;
  return group === undefined ? people : `${people} of ${escapeInvisible(group)}`;
}
