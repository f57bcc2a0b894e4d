import type { Grant } from "../grant.ts";
import type { Principal } from "../principal.ts";
import type { CheckResult } from "./check.ts";
import type { Guard } from "./policy.ts";

/** A person's yes to one digest, as far as a guard cares. */
export interface Vote {
  readonly by: string;
  /** `return`: no, with instructions for another try. */
  readonly decision: "approve" | "deny" | "return";
  readonly as: "approver" | "confirmation";
  /** Those of the guards' groups that the voter was in. */
  readonly groups?: readonly string[];
}

/** What can lift a guard. */
export interface Evidence {
  readonly votes: readonly Vote[];
  readonly checks?: readonly CheckResult[];
  /** Grants for this principal and capability; whether one fits the call is decided here. */
  readonly grants?: readonly Grant[];
  /** [TRUST 28] Who edited the call: their approval of it counts only as the confirmation of a tenant's only person. */
  readonly editors?: readonly string[];
}

/** Who asked, who owns the asker and whom it acts for: none of them counts among those who approve. */
export function conflictedPrincipals({
  id,
  owner,
  onBehalfOf,
}: Pick<Principal, "id" | "owner" | "onBehalfOf">): readonly string[] {
  return [id, owner, onBehalfOf].filter((one) => one !== undefined);
}

/** A guard is lifted by enough people, each counted once, or by checks that have all passed. */
export function isDischarged(guard: Guard, evidence: Evidence, involved: readonly string[] = []): boolean {
  if (evidence.grants?.some(isBreakGlass)) return true;
  if (guard.ruling === "ask") return hasQuorum(guard, evidence, involved);
  const results = (guard.checks ?? []).map((name) => evidence.checks?.find(({ check }) => check === name));
  if (results.length > 0 && results.every((result) => result?.passed && !result.error)) return true;
  const answered = results.every((result) => result !== undefined && !result.error);
  return answered && guard.onFail === "ask" && hasQuorum(guard, evidence, involved);
}

/** [TRUST 33] A broken glass rests on all who broke it: while one of them is frozen or disabled, it lifts nothing. */
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
  const voters = votes.filter(
    (vote) => vote.decision === "approve" && counts(vote.groups) && !isOwnEdit(vote),
  );
  // Votes were held against the rules of standing when they were cast; a grant's people are held against them here.
  const granters = grants
    .flatMap(({ people }) => people)
    .filter(({ by, groups }) => counts(groups) && !involved.includes(by) && !editors.includes(by));
  return new Set([...voters, ...granters].map(({ by }) => by)).size >= guard.quorum;
}
