import { type Approval, approvalDigest, type CastVote } from "../approval.ts";
import { type Call, callInput } from "../call.ts";
import type { Capability, Preview } from "../capability/capability.ts";
import { eventsOfKind } from "../event.ts";
import type { Json } from "../json.ts";
import type { Vote } from "../policy/evidence.ts";
import { digest } from "../receipts/digest.ts";

/**
 * [P5] Returns the digest that an approval of this call with this preview and headline is bound to. The input's salt is
 * the nonce. Without a headline, it is the digest of the content alone, to which checks and inherited approvals are
 * bound.
 */
export function digestForApproval(
  call: Call,
  capability: Capability,
  preview: Preview | undefined,
  headline?: string,
): string {
  const nonce = call.payloads.input?.salt ?? "";
  return approvalDigest({
    call: call.call,
    nonce,
    contract: capability.contract,
    input: callInput(call),
    preview,
    headline,
  });
}

/**
 * Returns the steps that the approvers of this round left out. One person is enough to leave a step out, as one person
 * is enough to deny the whole call.
 */
export function listDeclinedSteps(
  { events }: Pick<Call, "events">,
  round: Pick<Approval, "round"> | undefined,
): ReadonlySet<string> {
  const lastWords = new Map<string, readonly string[]>();
  for (const { kind, data } of events) {
    if (kind !== "voted" || data.round !== round?.round || data.decision !== "approve") continue;
    lastWords.set(data.by, data.declined ?? []);
  }
  return new Set([...lastWords.values()].flat());
}

/**
 * Returns the digest of a vote's answer. The digest includes the input's salt, so that a short answer cannot be guessed
 * from it.
 */
export function answerDigest({ payloads }: Pick<Call, "payloads">, approval: string, answer: Json): string {
  return digest({ approval, answer, nonce: payloads.input?.salt ?? "" });
}

/**
 * Returns the votes for the answer that would be performed. That answer is the last one given. A vote for another
 * answer approves something else, so it does not count towards the same quorum. [TRUST 33] Voters who are frozen or
 * disabled now do not count either.
 */
export function agreeingVotes(
  call: Pick<Call, "payloads" | "events" | "barredVoters">,
  { round, votes, digest }: Pick<Approval, "round" | "votes" | "digest">,
): readonly CastVote[] {
  const { answer } = call.payloads;
  const wanted = answer && answerDigest(call, digest, answer.value);
  const cast = eventsOfKind(call.events, "voted").filter(({ data }) => data.round === round);
  const findVote = (voter: string) => cast.findLast(({ data }) => data.by === voter)?.data;
  return votes
    .filter(
      ({ by, decision }) =>
        decision !== "approve" || (findVote(by)?.answerDigest === wanted && !call.barredVoters?.includes(by)),
    )
    .map((vote) => ({ ...vote, ...toProof(findVote(vote.by)) }));
}

/** [TRUST 32] Returns the proof of a vote from its sealed event, because the row of the vote has none. */
function toProof(vote: Pick<Vote, "proof"> | undefined): Pick<Vote, "proof"> {
  return vote?.proof ? { proof: vote.proof } : {};
}
