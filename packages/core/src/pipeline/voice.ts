import type { Approval } from "../approval.ts";
import type { Call } from "../call.ts";
import { editorsOf } from "../editors.ts";
import { involvedIn } from "../evidence.ts";
import type { Principal } from "../principal.ts";
import { escalatedTo } from "./attend.ts";
import { type HandOver, handedOver, type Represented, represented } from "./stand-ins.ts";

/** What a person's yes would count for in a round. */
export interface Voice {
  /** Of the groups that guards ask for, those it counts in: the voter's other ones are nobody's business. */
  readonly groups: readonly string[];
  /** People whose groups the vote needs: those whom the voter stands in for, and those who handed the question over. */
  readonly inPlaceOf: readonly string[];
  /**
   * No guard would count it, because the voter edited the call, is in none of the groups, has handed it over, or was
   * represented by a stand-in who approved it.
   */
  readonly unheard?: "own-edit" | "not-in-group" | "handed-over" | "represented";
}

/** Somebody who is away, and whom the voter stands in for. */
export interface Absent {
  readonly person: string;
  readonly groups: readonly string[];
}

/** What a voice is heard on: a round, and what has been done about it since. */
export interface Question {
  readonly guards: Approval["guards"];
  readonly asker: Pick<Principal, "id" | "owner" | "onBehalfOf">;
  /** [TRUST 28] Who edited what is asked: none of them can approve it. */
  readonly editors: readonly string[];
  /** Groups that were asked as well, because those of the guards did not answer. */
  readonly escalatedTo: readonly string[];
  /** Hand-overs of this round: the giver, the receiver, and the groups that pass on. */
  readonly handedOver: readonly HandOver[];
  /** People who approved this round, and the people each of them represented. */
  readonly represented: readonly Represented[];
}

export function questionOf(call: Call, { guards, round }: Approval): Question {
  return {
    guards,
    asker: call.principal,
    editors: editorsOf(call),
    escalatedTo: escalatedTo(call, round),
    handedOver: handedOver(call, round),
    represented: represented(call, round),
  };
}

/**
 * Decided here alone, for votes and for the pages that say whether a reader could vote. `isOnlyPerson`: the tenant has no
 * person besides the voter, who then confirms their own edits.
 */
export function voiceOf(
  voter: Pick<Principal, "id" | "groups">,
  absent: readonly Absent[],
  question: Question,
  isOnlyPerson: boolean,
): Voice {
  const { guards, editors, handedOver } = question;
  const others = question.represented.filter(({ by }) => by !== voter.id);
  // [TRUST 13] A person and their representative count once, so the person cannot vote as well.
  if (handedOver.some(({ by }) => by === voter.id)) return { ...silent, unheard: "handed-over" };
  if (others.some(({ inPlaceOf }) => inPlaceOf.includes(voter.id)))
    return { ...silent, unheard: "represented" };
  const own = groupsThatCount(voter.groups ?? [], question);
  const lenders = [
    ...absent.filter(({ person }) => isFree(person, others, question)).map(asLender),
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
  if (editors.includes(voter.id) && !isOnlyPerson) return { groups, inPlaceOf, unheard: "own-edit" };
  const isHeard = guards.some(({ group }) => group === undefined || groups.includes(group));
  return isHeard ? { groups, inPlaceOf } : { groups, inPlaceOf, unheard: "not-in-group" };
}

const silent = { groups: [], inPlaceOf: [] } as const;

function asLender({ person, groups }: Absent) {
  return { people: [person], groups };
}

/** An absent person's groups count once. They do not count if that person could not approve, or has voted or been represented already. */
function isFree(
  person: string,
  others: readonly Represented[],
  { asker, editors, handedOver }: Question,
): boolean {
  if ([...involvedIn(asker), ...editors].includes(person)) return false;
  if (handedOver.some(({ by }) => by === person)) return false;
  return !others.some(({ by, inPlaceOf }) => by === person || inPlaceOf.includes(person));
}

/** Returns the groups of the guards in which these groups count. Members of an escalation group count in all of them. */
function groupsThatCount(groups: readonly string[], { guards, escalatedTo }: Question): readonly string[] {
  const wanted = [...new Set(guards.flatMap(({ group }) => (group === undefined ? [] : [group])))];
  return escalatedTo.some((group) => groups.includes(group))
    ? wanted
    : wanted.filter((group) => groups.includes(group));
}
