import type { Preview } from "./capability/capability.ts";
import type { Contract } from "./capability/contract.ts";
import type { Json } from "./json.ts";
import { conflictedPrincipals, type Vote } from "./policy/evidence.ts";
import type { Guard } from "./policy/policy.ts";
import type { Principal } from "./principal.ts";
import { digest } from "./receipts/digest.ts";

/** A round that people were asked for, and what they have answered so far. */
export interface Approval {
  readonly id: string;
  readonly round: number;
  /** [P5] What exactly is being approved. */
  readonly digest: string;
  readonly status: RoundStatus;
  readonly guards: readonly Guard[];
  readonly expiresAt: number;
  readonly decidedAt?: number;
  readonly votes: readonly CastVote[];
}

export type RoundStatus = "open" | "approved" | "denied" | "expired" | "void";

export interface CastVote extends Vote {
  readonly at: number;
}

/**
 * [P5] An approval is for these bytes and no others. The call's id and nonce are inside as well: the digest
 * cannot be moved to another call, and says nothing of its content to one who lacks the nonce.
 */
export function approvalDigest(subject: {
  call: string;
  nonce: string;
  contract: Pick<Contract, "name" | "version">;
  input: Json;
  preview: Preview | undefined;
}): string {
  return digest({
    call: subject.call,
    nonce: subject.nonce,
    capability: subject.contract.name,
    version: subject.contract.version,
    input: subject.input,
    changes: (subject.preview?.changes ?? null) as unknown as Json,
    basis: subject.preview?.basis ?? null,
  });
}

/**
 * Separation of duties: who asked, who owns the asker and whom it acts for do not count. In a tenant without any other
 * person the owner may confirm, and the receipt says that it was a confirmation.
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
