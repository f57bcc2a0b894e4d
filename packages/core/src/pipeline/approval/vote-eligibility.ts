import type { Approval } from "../../approval.ts";
import type { Call } from "../../call.ts";
import { conflictedPrincipals } from "../../policy/evidence.ts";
import type { Principal } from "../../principal.ts";
import { listEditors } from "./editors.ts";
import { listEscalationGroups } from "./escalation.ts";
import { listReassignments, listRepresented, type Reassignment, type Represented } from "./reassignments.ts";

/** What a person's yes would count for in a round. */
export interface VoteEligibility {
  /** Of the groups that guards ask for, those it counts in: the voter's other ones are nobody's business. */
  readonly groups: readonly string[];
  /** People whose groups the vote needs: those whom the voter stands in for, and those who handed the question over. */
  readonly inPlaceOf: readonly string[];
  /**
   * No guard would count it, because the voter edited the call, is in none of the groups, has handed it over, or was
   * represented by a stand-in who approved it.
   */
  readonly ineligibleReason?: "own-edit" | "not-in-group" | "handed-over" | "represented";
}

/** Somebody who is away, and whom the voter stands in for. */
export interface Delegation {
  readonly person: string;
  readonly groups: readonly string[];
}

/** What a voice is heard on: a round, and what has been done about it since. */
export interface OpenQuestion {
  readonly guards: Approval["guards"];
  readonly asker: Pick<Principal, "id" | "owner" | "onBehalfOf">;
  /** [TRUST 28] Who edited what is asked: none of them can approve it. */
  readonly editors: readonly string[];
  /** Groups that were asked as well, because those of the guards did not answer. */
  readonly escalatedTo: readonly string[];
  /** Hand-overs of this round: the giver, the receiver, and the groups that pass on. */
  readonly handedOver: readonly Reassignment[];
  /** People who approved this round, and the people each of them represented. */
  readonly represented: readonly Represented[];
}

export function toOpenQuestion(call: Call, { guards, round }: Approval): OpenQuestion {
  return {
    guards,
    asker: call.principal,
    editors: listEditors(call),
    escalatedTo: listEscalationGroups(call, round),
    handedOver: listReassignments(call, round),
    represented: listRepresented(call, round),
  };
}

/**
 * Decided here alone, for votes and for the pages that say whether a reader could vote. `isOnlyPerson`: the tenant has no
 * person besides the voter, who then confirms their own edits.
 */
export function voteEligibility(
  voter: Pick<Principal, "id" | "groups">,
  absent: readonly Delegation[],
  question: OpenQuestion,
  isOnlyPerson: boolean,
): VoteEligibility {
  const { guards, editors, handedOver } = question;
  const others = question.represented.filter(({ by }) => by !== voter.id);
  // [TRUST 13] A person and their representative count once, so the person cannot vote as well.
  if (handedOver.some(({ by }) => by === voter.id)) return { ...noGroups, ineligibleReason: "handed-over" };
  if (others.some(({ inPlaceOf }) => inPlaceOf.includes(voter.id)))
    return { ...noGroups, ineligibleReason: "represented" };
  const own = groupsThatCount(voter.groups ?? [], question);
  const lenders = [
    ...absent.filter(({ person }) => canBeRepresented(person, others, question)).map(asLender),
    ...handedOver
      .filter(({ to }) => to === voter.id)
      .map(({ by, inPlaceOf, groups }) => ({ people: [by, ...inPlaceOf], groups })),
  ];
  const groups = groupsThatCount(
    [...(voter.groups ?? []), ...lenders.flatMap((one) => one.groups)],
    question,
  );
  const needed = lenders.filter((one) =>
    groupsThatCount(one.groups, question).some((group) => !own.includes(group)),
  );
  const inPlaceOf = [...new Set(needed.flatMap(({ people }) => people))].sort();
  if (editors.includes(voter.id) && !isOnlyPerson) return { groups, inPlaceOf, ineligibleReason: "own-edit" };
  const isHeard = guards.some(({ group }) => group === undefined || groups.includes(group));
  return isHeard ? { groups, inPlaceOf } : { groups, inPlaceOf, ineligibleReason: "not-in-group" };
}

const noGroups = { groups: [], inPlaceOf: [] } as const;

function asLender({ person, groups }: Delegation) {
  return { people: [person], groups };
}

/** An absent person's groups count once. They do not count if that person could not approve, or has voted or been represented already. */
function canBeRepresented(
  person: string,
  others: readonly Represented[],
  { asker, editors, handedOver }: OpenQuestion,
): boolean {
  if ([...conflictedPrincipals(asker), ...editors].includes(person)) return false;
  if (handedOver.some(({ by }) => by === person)) return false;
  return !others.some(({ by, inPlaceOf }) => by === person || inPlaceOf.includes(person));
}

/** Returns the groups of the guards in which these groups count. Members of an escalation group count in all of them. */
function groupsThatCount(
  groups: readonly string[],
  { guards, escalatedTo }: OpenQuestion,
): readonly string[] {
  const wanted = [...new Set(guards.flatMap(({ group }) => (group === undefined ? [] : [group])))];
  return escalatedTo.some((group) => groups.includes(group))
    ? wanted
    : wanted.filter((group) => groups.includes(group));
}
