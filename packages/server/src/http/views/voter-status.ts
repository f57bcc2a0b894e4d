import {
  type Approval,
  type Call,
  conflictedPrincipals,
  type Principal,
  toOpenQuestion,
  type VoteEligibility,
  voteEligibility,
} from "@paraph/core";
import type { ApproverService } from "../../services/approver-service.ts";
import type { ApprovalSummary } from "../../services/paraph-service.ts";

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

/** Returns the reader's role for each open approval. `voted` means that the reader has already decided. */
export async function listVoterStatuses(
  reader: Principal,
  approvals: readonly ApprovalSummary[],
  approver: Pick<ApproverService, "listQuestions" | "listDelegationsTo" | "isOnlyPerson">,
): Promise<ReadonlyMap<string, VoterStatus | "voted">> {
  const open = approvals.filter(({ status }) => status === "open").map(({ approval }) => approval);
  if (open.length === 0) return new Map();
  const [questions, delegations, isOnlyPerson] = await Promise.all([
    approver.listQuestions(reader, open),
    approver.listDelegationsTo(reader),
    approver.isOnlyPerson(reader),
  ]);
  return new Map(
    [...questions].map(([approval, { question, voted, ownCall }]) => {
      const role = conflictedPrincipals(question.asker).includes(reader.id) ? "confirmation" : "approver";
      const { ineligibleReason = role } = voteEligibility(reader, delegations, question, isOnlyPerson);
      return [approval, voted ? "voted" : ownCall ? "own-call" : ineligibleReason];
    }),
  );
}
