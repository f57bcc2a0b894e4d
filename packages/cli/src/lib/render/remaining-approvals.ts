import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { PrincipalView } from "../api/administration-views.ts";
import type { RoundView } from "../api/api-views.ts";
import { formatRequiredPeople } from "./required-people.ts";

/**
 * Explains which approvals an open round still needs, and who can give them. Without `people`, the reader may not list
 * the people of the tenant.
 */
export function formatRemainingApprovals(
  round: RoundView,
  people: readonly PrincipalView[] | undefined,
): string {
  const approved = round.votes
    .filter(({ decision }) => decision === "approve")
    .map((vote) => formatVoter(vote, listUnmetGuards(round)));
  const progress = `Approved so far: ${approved.join(", ")}. Policy requires ${formatRequiredPeople(round.guards)}.`;
  if (!people) return `${progress} Another person has to approve it.`;
  const others = findOtherApprovers(round, people);
  if (others.length > 0)
    return `${progress} ${escapeInvisible(new Intl.ListFormat("en", { type: "disjunction" }).format(others))} can approve it too.`;
  const group = listUnmetGuards(round).find((guard) => guard.group !== undefined)?.group;
  const addition =
    group === undefined
      ? "Invite a person with `paraph invite PERSON`."
      : `Add a person with \`paraph groups add ${escapeInvisible(group)} PERSON\`.`;
  return `${progress} There is no other person who can approve it. ${addition}`;
}

/** Names a voter, and the groups in which the vote does not count. */
function formatVoter(vote: RoundView["votes"][number], unmet: RoundView["guards"]): string {
  const others = new Set(unmet.filter((guard) => !countsFor(vote, guard)).map(({ group }) => group!));
  const name = escapeInvisible(vote.by);
  return others.size === 0 ? name : `${name} (not in ${[...others].map(escapeInvisible).join(" or ")})`;
}

/** Returns the people whose approval would count for a guard that is not met yet. */
function findOtherApprovers(round: RoundView, people: readonly PrincipalView[]): string[] {
  const { principal, votes, editedBy } = round;
  const excluded = [
    principal.id,
    principal.owner,
    principal.onBehalfOf,
    editedBy,
    ...votes.map(({ by }) => by),
  ];
  const unmet = listUnmetGuards(round);
  return people
    .filter(({ id }) => !excluded.includes(id))
    .filter(({ groups }) => unmet.some(({ group }) => group === undefined || groups.includes(group)))
    .map(({ id }) => id);
}

function listUnmetGuards({ guards, votes }: RoundView) {
  return guards.filter((guard) => votes.filter((vote) => countsFor(vote, guard)).length < guard.quorum);
}

/** Whether an approval counts for a guard. The server records the groups in which each vote counts. */
export function countsFor(
  { decision, groups = [] }: RoundView["votes"][number],
  { group }: Pick<RoundView["guards"][number], "group">,
): boolean {
  return decision === "approve" && (group === undefined || groups.includes(group));
}
