import type { Preview } from "./capability/capability.ts";
import type { Contract } from "./capability/contract.ts";
import type { Json } from "./json.ts";
import { conflictedPrincipals, type Vote } from "./policy/evidence.ts";
import type { Guard } from "./policy/policy.ts";
import type { Principal } from "./principal.ts";
import { digest } from "./receipts/digest.ts";

/** One round of an approval: the question to the approvers, and the votes so far. */
export interface Approval {
  readonly id: string;
  readonly round: number;
  /** [P5] The digest of the exact content that the voters approve. */
  readonly digest: string;
  readonly status: RoundStatus;
  readonly guards: readonly Guard[];
  readonly expiresAt: number;
  readonly decidedAt?: number;
  readonly votes: readonly CastVote[];
}

/** The status of a round. */
export type RoundStatus = "open" | "approved" | "denied" | "expired" | "void";

/** A vote with the time at which it was cast. */
export interface CastVote extends Vote {
  readonly at: number;
}

/**
 * [P5] Returns the digest that an approval is bound to. The digest includes the call's id and nonce, so that an
 * approval cannot be moved to another call. To a reader who does not know the nonce, the digest reveals nothing about
 * the content.
 */
export function approvalDigest(subject: {
  call: string;
  nonce: string;
  contract: Pick<Contract, "name" | "version">;
  input: Json;
  preview: Preview | undefined;
  /** The headline that people are asked about. Undefined for a round of a version without headlines. */
  headline?: string | undefined;
}): string {
  return digest({
    call: subject.call,
    nonce: subject.nonce,
    capability: subject.contract.name,
    version: subject.contract.version,
    input: subject.input,
    changes: (subject.preview?.changes ?? null) as unknown as Json,
    basis: subject.preview?.basis ?? null,
    ...(subject.headline !== undefined && {
      headline: subject.headline,
      stepHeadlines: (subject.preview?.steps ?? []).map(({ headline }) => headline ?? null),
    }),
  });
}

/**
 * Returns the role in which a person votes, or the reason why the vote does not count. The requester, its owner and the
 * person for whom the requester acts may not approve their own call. In a tenant without any other person, they may
 * confirm the call instead. The receipt then records a confirmation.
 */
export function voterRole(
  voter: Principal,
  requester: Principal,
  othersExist: boolean,
): Vote["as"] | "not-a-person" | "own-call" {
  if (voter.kind !== "person") return "not-a-person";
  if (!conflictedPrincipals(requester).includes(voter.id)) return "approver";
  return othersExist ? "own-call" : "confirmation";
}
