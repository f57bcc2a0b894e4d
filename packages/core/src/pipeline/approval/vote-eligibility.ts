import type { Approval } from "../../approval.ts";
import type { Call } from "../../call.ts";
import { listEditors } from "../../editors.ts";
import { conflictedPrincipals } from "../../policy/evidence.ts";
import type { Principal } from "../../principal.ts";
import { listEscalationGroups } from "./escalation.ts";
import { listReassignments, listRepresented, type Reassignment, type Represented } from "./reassignments.ts";

/** The effect that a person's approval would have in a round. */
export interface VoteEligibility {
  /**
   * The guards' groups in which the approval counts. The voter's other groups are left out, because approvals do not
   * need them.
   */
  readonly groups: readonly string[];
  /**
   * The people whose groups the vote needs. The voter is their delegate, or they reassigned their vote to the voter.
   */
  readonly inPlaceOf: readonly string[];
  /**
   * The reason why no guard would count the vote. The voter edited the call, is in none of the groups, has reassigned
   * the vote, or was represented by a delegate who approved the call.
   */
  readonly ineligibleReason?: "own-edit" | "not-in-group" | "reassigned" | "represented";
}

/** An absent person for whom the voter is the delegate, and that person's groups. */
export interface Delegation {
  readonly person: string;
  readonly groups: readonly string[];
}

/** A round, and everything that affects who may vote in it. */
export interface OpenQuestion {
  readonly guards: Approval["guards"];
  readonly asker: Pick<Principal, "id" | "owner" | "onBehalfOf">;
  /** [TRUST 28] The people who edited the call. None of them can approve it. */
  readonly editors: readonly string[];
  /** Groups that Paraph asked additionally, because the groups of the guards did not answer. */
  readonly escalatedTo: readonly string[];
  /** The reassignments of this round: from whom, to whom, and with which groups. */
  readonly reassignments: readonly Reassignment[];
  /** The people who approved this round, and the people whom each of them represented. */
  readonly represented: readonly Represented[];
}

/** Returns the open question of a round, as `voteEligibility` needs it. */
export function toOpenQuestion(call: Call, { guards, round }: Approval): OpenQuestion {
  return {
    guards,
    asker: call.principal,
    editors: listEditors(call),
    escalatedTo: listEscalationGroups(call, round),
    reassignments: listReassignments(call, round),
    represented: listRepresented(call, round),
  };
}

/**
 * Returns whether a person may vote, and for which groups. Paraph uses only this function, both to accept votes and to
 * show readers whether they could vote. `isOnlyPerson` means that the tenant has no other person. The voter may then
 * confirm their own edits.
 */
export function voteEligibility(
  voter: Pick<Principal, "id" | "groups">,
  absent: readonly Delegation[],
  question: OpenQuestion,
  isOnlyPerson: boolean,
): VoteEligibility {
  const { guards, editors, reassignments } = question;
  const others = question.represented.filter(({ by }) => by !== voter.id);
  // [TRUST 13] A person who reassigned their vote or is already represented cannot vote as well, because the person and
  // the representative count once.
  if (reassignments.some(({ by }) => by === voter.id)) return { ...noGroups, ineligibleReason: "reassigned" };
  if (others.some(({ inPlaceOf }) => inPlaceOf.includes(voter.id)))
    return { ...noGroups, ineligibleReason: "represented" };
  const own = groupsThatCount(voter.groups ?? [], question);
  const lenders = [
    ...absent.filter(({ person }) => canBeRepresented(person, others, question)).map(asLender),
    ...reassignments
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

/**
 * Returns whether a delegate may vote for an absent person. The groups of an absent person count only once. They do not
 * count if that person could not approve, has already voted, or is already represented.
 */
function canBeRepresented(
  person: string,
  others: readonly Represented[],
  { asker, editors, reassignments }: OpenQuestion,
): boolean {
  if ([...conflictedPrincipals(asker), ...editors].includes(person)) return false;
  if (reassignments.some(({ by }) => by === person)) return false;
  return !others.some(({ by, inPlaceOf }) => by === person || inPlaceOf.includes(person));
}

/**
 * Returns the guards' groups in which a member of these groups counts. A member of an escalation group counts in all of
 * the guards' groups.
 */
function groupsThatCount(
  groups: readonly string[],
  { guards, escalatedTo }: OpenQuestion,
): readonly string[] {
  const wanted = [...new Set(guards.flatMap(({ group }) => (group === undefined ? [] : [group])))];
  return escalatedTo.some((group) => groups.includes(group))
    ? wanted
    : wanted.filter((group) => groups.includes(group));
}
