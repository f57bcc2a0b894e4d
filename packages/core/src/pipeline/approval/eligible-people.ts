import { type Approval, voterRole } from "../../approval.ts";
import type { Call } from "../../call.ts";
import { conflictedPrincipals } from "../../policy/evidence.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import type { Store } from "../../store.ts";
import { type Delegation, toOpenQuestion, voteEligibility } from "./vote-eligibility.ts";

/** A person who may be able to decide, with the delegations under which the person votes. */
export interface PossibleApprover {
  readonly principal: Principal;
  readonly delegations: readonly Delegation[];
}

/** Selects people by group and by id. Without groups and ids, it selects everyone. */
export interface ApproverSelection {
  /** Members of these groups and their delegates. */
  readonly groups?: readonly string[];
  readonly ids?: readonly string[];
}

/** Returns which people could decide about the round: the groups of its guards, or everyone. */
export function selectApprovers(call: Call, round: Approval): ApproverSelection {
  const { guards, escalatedTo, reassignments } = toOpenQuestion(call, round);
  if (guards.some(({ group }) => group === undefined)) return {};
  return {
    groups: [...guards.flatMap(({ group }) => group ?? []), ...escalatedTo],
    ids: reassignments.map(({ to }) => to),
  };
}

/**
 * [TRUST 12, 33] Returns the people whose decision would count now and who have not voted. It applies the same rules as
 * the vote itself.
 */
export async function filterEligible<P extends PossibleApprover>(
  people: readonly P[],
  call: Call,
  round: Approval,
  { store, clock }: Pick<Ports, "clock"> & { readonly store: Pick<Store, "hasOtherPerson"> },
): Promise<readonly P[]> {
  if (!isRoundOpen(call, round, clock.now()) || people.length === 0) return [];
  const { tenant, principal } = call;
  const question = toOpenQuestion(call, round);
  const hasOther = await store.hasOtherPerson(tenant, conflictedPrincipals(principal));
  const eligible: P[] = [];
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
export function isRoundOpen(call: Call, round: Approval, now: number): boolean {
  return (
    call.state === "asking" &&
    call.approval?.id === round.id &&
    round.status === "open" &&
    round.expiresAt > now
  );
}
