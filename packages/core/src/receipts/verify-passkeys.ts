import type { CastVote } from "../approval.ts";
import type { RecordedEvent } from "../event.ts";
import { findPasskeyFault, type PasskeyProof, type PasskeySubject } from "./passkey-proof.ts";
import type { ReceiptPredicate } from "./receipt.ts";
import { assertValid } from "./verify-predicate.ts";

interface ProvenVote extends PasskeySubject {
  readonly proof: PasskeyProof;
}

/**
 * [TRUST 27] Verifies the passkey assertion of every vote against the digest that the vote approves. Returns the people
 * whose approval an assertion proves. Whether a guard demands one is a rule of the round, which `verifyPredicate` checks.
 */
export async function verifyPasskeys(story: ReceiptPredicate): Promise<readonly string[]> {
  const proven = story.events.flatMap((event) => listProvenVotes(story, event));
  for (const { proof, ...subject } of proven) {
    const fault = await findPasskeyFault(proof, subject);
    assertValid(fault === undefined, fault ?? "");
  }
  return [...new Set(proven.map(({ by }) => by))];
}

/** Returns the votes of an event that have an assertion. A step of a plan has the votes of its plan. */
function listProvenVotes({ tenant, call }: ReceiptPredicate, event: RecordedEvent): readonly ProvenVote[] {
  if (event.kind === "voted") {
    const { proof, ...vote } = event.data as unknown as Omit<ProvenVote, "tenant" | "call">;
    return proof ? [{ ...vote, tenant, call, proof }] : [];
  }
  if (event.kind !== "approval-inherited") return [];
  const { by, round, approval, votes } = event.data as unknown as {
    readonly by: string;
    readonly round: number;
    readonly approval: string;
    readonly votes: readonly (CastVote & { readonly declined?: readonly string[] })[];
  };
  return votes.flatMap(({ proof, declined, by: voter }) =>
    proof ? [{ tenant, call: by, round, digest: approval, by: voter, declined, proof }] : [],
  );
}
