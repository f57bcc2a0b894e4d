import type { Grant } from "../grant.ts";
import type { Principal } from "../principal.ts";
import type { PasskeyProof } from "../receipts/passkey-proof.ts";
import type { CheckResult } from "./check.ts";
import type { Guard } from "./policy.ts";

/** A person's decision about one digest, with the fields that guards need. */
export interface Vote {
  /** The voter. */
  readonly by: string;
  /** `return` denies the call and gives instructions for another try. */
  readonly decision: "approve" | "deny" | "return";
  /** `confirmation` if the only person of a tenant confirms a call of their own or of their agent. */
  readonly as: "approver" | "confirmation";
  /** The voter's groups at the time of the vote, limited to groups that the guards name. */
  readonly groups?: readonly string[];
  /** The verified passkey assertion of an approval. */
  readonly proof?: PasskeyProof;
}

/** Everything that can satisfy a guard. */
export interface Evidence {
  readonly votes: readonly Vote[];
  readonly checks?: readonly CheckResult[];
  /** Grants for this principal and capability. The ruling decides whether one covers the call. */
  readonly grants?: readonly Grant[];
  /**
   * [TRUST 28] The people who edited the call. An editor's approval counts only if the editor is the tenant's only
   * person and confirms the call.
   */
  readonly editors?: readonly string[];
}

/** Returns the requester, its owner and the person it acts for. None of them counts as an approver. */
export function conflictedPrincipals({
  id,
  owner,
  onBehalfOf,
}: Pick<Principal, "id" | "owner" | "onBehalfOf">): readonly string[] {
  return [id, owner, onBehalfOf].filter((one) => one !== undefined);
}

/**
 * Returns whether evidence satisfies a guard. An `ask` guard needs approvals by enough distinct people. A `check` guard
 * needs all checks to pass or, if `onFail` is `ask`, enough approvals after a failed check. A valid break-glass grant
 * satisfies every guard.
 */
export function isDischarged(guard: Guard, evidence: Evidence, involved: readonly string[] = []): boolean {
  if (evidence.grants?.some(isBreakGlass)) return true;
  switch (guard.ruling) {
    case "ask":
      return hasQuorum(guard, evidence, involved);
    case "check":
      return hasPassedChecks(guard, evidence, involved);
  }
}

function hasPassedChecks(guard: Guard, evidence: Evidence, involved: readonly string[]): boolean {
  const results = (guard.checks ?? []).map((name) => evidence.checks?.find(({ check }) => check === name));
  if (results.length > 0 && results.every((result) => result?.passed && !result.error)) return true;
  const answered = results.every((result) => result !== undefined && !result.error);
  return answered && guard.onFail === "ask" && hasQuorum(guard, evidence, involved);
}

/**
 * [TRUST 33] Returns whether a grant is a valid break-glass grant. It depends on all people who gave it, so it
 * satisfies no guard while one of them is frozen or disabled.
 */
function isBreakGlass({ breakGlass, people, given }: Grant): boolean {
  return breakGlass === true && people.length > 0 && people.length === given?.people.length;
}

function hasQuorum(
  guard: Guard,
  { votes, grants = [], editors = [] }: Evidence,
  involved: readonly string[],
): boolean {
  const isOwnEdit = ({ by, as }: Vote) => as !== "confirmation" && editors.includes(by);
  const counts = (groups: readonly string[] = []) =>
    guard.group === undefined || groups.includes(guard.group);
  // [TRUST 27] Paraph verified the assertion before it recorded the vote.
  const isProven = ({ proof }: Vote) => guard.proof === undefined || proof?.kind === guard.proof;
  const voters = votes.filter(
    (vote) => vote.decision === "approve" && counts(vote.groups) && !isOwnEdit(vote) && isProven(vote),
  );
  // Paraph checked the eligibility of voters when they voted. This code checks the eligibility of the people who gave a
  // grant. A grant has no assertion about this call, so it does not satisfy a guard that demands one.
  const granters = (guard.proof === undefined ? grants : [])
    .flatMap(({ people }) => people)
    .filter(({ by, groups }) => counts(groups) && !involved.includes(by) && !editors.includes(by));
  return new Set([...voters, ...granters].map(({ by }) => by)).size >= guard.quorum;
}
