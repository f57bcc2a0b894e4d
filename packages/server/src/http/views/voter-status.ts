import {
  type Approval,
  type Call,
  type Principal,
  toOpenQuestion,
  type VoteEligibility,
  voteEligibility,
} from "@paraph/core";
import type { ApproverService } from "../../services/approver-service.ts";

/**
 * A person's role as a voter in a round. `confirmation` means that no other person can vote, so the owner's vote counts
 * and is recorded as a confirmation. The other values are reasons why the person's approval would not count.
 */
export type VoterStatus =
  | "approver"
  | "confirmation"
  | "own-call"
  | NonNullable<VoteEligibility["ineligibleReason"]>;

/** Returns the reader's role as a voter, or undefined if the reader is not a person. */
export async function findVoterStatus(
  reader: Principal,
  call: Call,
  round: Approval,
  approver: Pick<ApproverService, "findVoterRole" | "listDelegationsTo" | "isOnlyPerson">,
): Promise<VoterStatus | undefined> {
  const [role, delegations, isOnlyPerson] = await Promise.all([
    approver.findVoterRole(reader, call),
    approver.listDelegationsTo(reader),
    approver.isOnlyPerson(reader),
  ]);
  if (role === "not-a-person") return undefined;
  if (role === "own-call") return role;
  return (
    voteEligibility(reader, delegations, toOpenQuestion(call, round), isOnlyPerson).ineligibleReason ?? role
  );
}
