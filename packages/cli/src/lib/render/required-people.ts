import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { GuardView } from "../api/api-views.ts";

type RequiredPeople = Pick<GuardView, "quorum" | "group">;

/**
 * Formats how many people must approve, and of which groups. A person counts for every guard, so of several guards for
 * the same people only the largest quorum is named.
 */
export function formatRequiredPeople(guards: readonly RequiredPeople[]): string {
  const quorums = new Map<string | undefined, number>();
  for (const { group, quorum } of guards) quorums.set(group, Math.max(quorum, quorums.get(group) ?? 0));
  const inGroups = Math.max(0, ...[...quorums].filter(([group]) => group !== undefined).map(([, n]) => n));
  if ((quorums.get(undefined) ?? 1) <= inGroups) quorums.delete(undefined);
  return [...quorums].map(([group, quorum]) => formatQuorum({ quorum, group })).join(" and ") || "one person";
}

function formatQuorum({ quorum, group }: { readonly quorum: number; readonly group: string | undefined }) {
  const people = quorum === 1 ? "one person" : `${quorum} people`;
  return group === undefined ? people : `${people} of ${escapeInvisible(group)}`;
}
