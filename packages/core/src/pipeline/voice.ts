import type { Approval } from "../approval.ts";
import type { Call } from "../call.ts";
import { editorsOf } from "../editors.ts";
import { involvedIn } from "../evidence.ts";
import type { Principal } from "../principal.ts";
import { escalatedTo, type HandOver, handedOver } from "./attend.ts";

/** What a person's yes would count for in a round. */
export interface Voice {
  /** Of the groups that guards ask for, those it counts in: the voter's other ones are nobody's business. */
  readonly groups: readonly string[];
  /** No guard would count it, because the voter edited the call, is in none of the groups, or has handed it over. */
  readonly unheard?: "own-edit" | "not-in-group" | "handed-over";
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
  /** By whom it was handed over whose yes would have counted, and to whom. */
  readonly handedOver: readonly HandOver[];
}

export function questionOf(call: Call, { guards, round }: Approval): Question {
  return {
    guards,
    asker: call.principal,
    editors: editorsOf(call),
    escalatedTo: escalatedTo(call, round),
    handedOver: handedOver(call, round),
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
  // One voice, not two: whoever decides in their place does so instead of them.
  if (question.handedOver.some(({ by }) => by === voter.id)) return { groups: [], unheard: "handed-over" };
  const groups = groupsThatCount(withAbsent(voter, absent, question), voter.id, question);
  if (question.editors.includes(voter.id) && !isOnlyPerson) return { groups, unheard: "own-edit" };
  const isHeard = question.guards.some(({ group }) => group === undefined || groups.includes(group));
  return isHeard ? { groups } : { groups, unheard: "not-in-group" };
}

/** Who stands in for somebody answers with their groups as well, unless that one could not have answered. */
function withAbsent(
  { groups = [] }: Pick<Principal, "groups">,
  absent: readonly Absent[],
  { asker, editors }: Question,
): readonly string[] {
  const involved = [...involvedIn(asker), ...editors];
  return [
    ...groups,
    ...absent.filter(({ person }) => !involved.includes(person)).flatMap((one) => one.groups),
  ];
}

/** Who was asked as well because the first did not answer, or was handed the question, counts in all of the groups. */
function groupsThatCount(
  groups: readonly string[],
  voter: string,
  { guards, escalatedTo, handedOver }: Question,
): readonly string[] {
  const wanted = [...new Set(guards.flatMap(({ group }) => (group === undefined ? [] : [group])))];
  const standsIn =
    escalatedTo.some((group) => groups.includes(group)) || handedOver.some(({ to }) => to === voter);
  return standsIn ? wanted : wanted.filter((group) => groups.includes(group));
}
