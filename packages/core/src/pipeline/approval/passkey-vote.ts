import type { Approval } from "../../approval.ts";
import type { Call } from "../../call.ts";
import { ParaphError } from "../../paraph-error.ts";
import { findPasskeyFault, type PasskeyProof, type PasskeySubject } from "../../receipts/passkey-proof.ts";
import type { NewPayload } from "../../store.ts";
import { answerDigest } from "../round.ts";
import type { VoteEligibility } from "./vote-eligibility.ts";

/** The parts of a decision that a passkey proves. */
interface ProvenDecision {
  readonly voter: { readonly id: string };
  readonly declined?: readonly string[];
  /** The answer, if the decision has one. */
  readonly payloads: readonly NewPayload[];
}

/** Returns whether a guard demands a passkey with this person's approval. */
export function needsPasskey(
  { guards }: Pick<Approval, "guards">,
  { groups }: Pick<VoteEligibility, "groups">,
): boolean {
  return guards.some(
    ({ proof, group }) => proof === "passkey" && (group === undefined || groups.includes(group)),
  );
}

/** Returns the approval that a passkey has to prove. */
export function toPasskeySubject(
  call: Call,
  { round, digest }: Pick<Approval, "round" | "digest">,
  { voter, declined = [], payloads: [answer] }: ProvenDecision,
): PasskeySubject {
  return {
    tenant: call.tenant,
    call: call.call,
    round,
    digest,
    by: voter.id,
    declined: sortSteps(declined),
    ...(answer && { answerDigest: answerDigest(call, digest, answer.value) }),
  };
}

/** Returns the ids of steps as a vote records them: each once, in order. */
export function sortSteps(steps: readonly string[]): readonly string[] {
  return [...new Set(steps)].sort();
}

/**
 * [TRUST 27] Rejects an approval without the passkey that a guard demands, and every assertion that does not prove
 * exactly this approval. A vote therefore never records an assertion that the verification of its receipt refuses.
 */
export async function requirePasskey(
  call: Call,
  round: Approval,
  eligibility: Pick<VoteEligibility, "groups">,
  decision: ProvenDecision & { readonly proof?: PasskeyProof },
): Promise<void> {
  const { proof } = decision;
  if (proof === undefined) {
    if (!needsPasskey(round, eligibility)) return;
    throw new ParaphError(
      "passkey-required",
      "Policy demands a passkey for this approval. Open the approval's page in a browser and approve with your passkey.",
    );
  }
  const fault = await findPasskeyFault(proof, toPasskeySubject(call, round, decision));
  if (fault === undefined) return;
  throw passkeyError(fault);
}

/** Returns the error for an assertion that does not prove the approval. */
export function passkeyError(fault: string): ParaphError {
  return new ParaphError(
    "passkey-invalid",
    `The vote was not recorded, because ${fault}. Open the approval again and repeat the approval with your passkey.`,
  );
}
