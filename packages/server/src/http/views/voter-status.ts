import {
  type Approval,
  type Call,
  conflictedPrincipals,
  type Delegation,
  needsPasskey,
  type Principal,
  toOpenQuestion,
  type VoteEligibility,
  voteEligibility,
} from "@paraph/core";
import type { ApproverService, InboxRow, ReaderQuestion } from "../../services/approver-service.ts";
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

/** The reader as a voter in a round. */
export interface Voter {
  readonly status: VoterStatus;
  /** [TRUST 27] Whether a guard demands a passkey with the reader's approval. */
  readonly needsPasskey: boolean;
}

/** Returns the reader as a voter, or undefined if the reader is not a person. */
export async function findVoter(
  reader: Principal,
  call: Call,
  round: Approval,
  approver: Pick<ApproverService, "findVoterRole" | "listDelegationsTo" | "isOnlyPerson">,
): Promise<Voter | undefined> {
  const [role, delegations, isOnlyPerson] = await Promise.all([
    approver.findVoterRole(reader, call),
    approver.listDelegationsTo(reader),
    approver.isOnlyPerson(reader),
  ]);
  if (role === "not-a-person") return undefined;
  if (role === "own-call") return { status: role, needsPasskey: false };
  const eligibility = voteEligibility(reader, delegations, toOpenQuestion(call, round), isOnlyPerson);
  return { status: eligibility.ineligibleReason ?? role, needsPasskey: needsPasskey(round, eligibility) };
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
    [...questions].map(([approval, row]) => [
      approval,
      findRowStatus(row, reader, delegations, isOnlyPerson),
    ]),
  );
}

/** Returns whether a person with this role can still vote. */
export function canVote(status: VoterStatus | "voted"): status is "approver" | "confirmation" {
  return status === "approver" || status === "confirmation";
}

/**
 * Returns the reader's role for an entry of the inbox. For a flood, it is the role for the first approval on which the
 * reader can vote, so that one approval of another person does not hide the others.
 */
export function findEntryStatus(
  row: InboxRow,
  ...reading: [reader: Principal, delegations: readonly Delegation[], isOnlyPerson: boolean]
): VoterStatus | "voted" {
  const statuses = (row.flood?.items ?? []).map((item) => findRowStatus(item, ...reading));
  return statuses.find(canVote) ?? findRowStatus(row, ...reading);
}

/** Returns the reader's role for a listed approval. */
export function findRowStatus(
  { question, voted, ownCall }: ReaderQuestion,
  reader: Principal,
  delegations: readonly Delegation[],
  isOnlyPerson: boolean,
): VoterStatus | "voted" {
  if (voted) return "voted";
  if (ownCall) return "own-call";
  const role = conflictedPrincipals(question.asker).includes(reader.id) ? "confirmation" : "approver";
  return voteEligibility(reader, delegations, question, isOnlyPerson).ineligibleReason ?? role;
}
