import {
  type Approval,
  type Call,
  conflictedPrincipals,
  type Ports,
  type Store,
  toOpenQuestion,
  voteEligibility,
  voterRole,
} from "@paraph/core";
import type { PeopleFilter, ReachablePerson } from "../postgres/index.ts";
import type { ChannelConfig, Place } from "./channel.ts";

/** The maximum number of people whom one request is announced to. It bounds the effect of a guard without a group. */
export const maxRecipients = 50;

/** [TRUST 10] Returns the place that gets the notices of this tenant instead of its people. */
export function findPlace({ place }: Pick<ChannelConfig, "place">, tenant: string): Place | undefined {
  return place?.tenant === tenant ? place : undefined;
}

/** Returns the recipient under which the record of notices has a place. */
export function toPlaceRecipient({ address }: Place): string {
  return `#${address}`;
}

/** Returns which people could decide about the round: the groups of its guards, or everyone. */
export function selectApprovers(call: Call, round: Approval): PeopleFilter {
  const { guards, escalatedTo, reassignments } = toOpenQuestion(call, round);
  const limit = maxRecipients;
  if (guards.some(({ group }) => group === undefined)) return { limit };
  return {
    groups: [...guards.flatMap(({ group }) => group ?? []), ...escalatedTo],
    ids: reassignments.map(({ to }) => to),
    limit,
  };
}

/**
 * [TRUST 12, 33] Returns the people whose decision would count now and who have not voted. It applies the same rules as
 * the vote itself.
 */
export async function filterEligible(
  people: readonly ReachablePerson[],
  call: Call,
  round: Approval,
  { store, clock }: Pick<Ports, "clock"> & { readonly store: Pick<Store, "hasOtherPerson"> },
): Promise<readonly ReachablePerson[]> {
  if (!isWaiting(call, round, clock.now()) || people.length === 0) return [];
  const { tenant, principal } = call;
  const question = toOpenQuestion(call, round);
  const hasOther = await store.hasOtherPerson(tenant, conflictedPrincipals(principal));
  const eligible: ReachablePerson[] = [];
  for (const person of people) {
    const { principal: voter, delegations } = person;
    if (round.votes.some(({ by }) => by === voter.id)) continue;
    if (!["approver", "confirmation"].includes(voterRole(voter, principal, hasOther))) continue;
    // Only an editor can depend on whether there is another person.
    const isOnly = question.editors.includes(voter.id) && !(await store.hasOtherPerson(tenant, [voter.id]));
    if (voteEligibility(voter, delegations, question, isOnly).ineligibleReason === undefined)
      eligible.push(person);
  }
  return eligible;
}

/** Returns whether the call waits for decisions in this round. */
export function isWaiting(call: Call, round: Approval, now: number): boolean {
  return (
    call.state === "asking" &&
    call.approval?.id === round.id &&
    round.status === "open" &&
    round.expiresAt > now
  );
}
