import type { Approval, CastVote } from "../../approval.ts";
import type { Call } from "../../call.ts";
import { eventsOfKind } from "../../event.ts";
import type { Json } from "../../json.ts";
import { digest } from "../../receipts/digest.ts";

/**
 * Returns the digest of a vote's answer. It includes the input's salt, so that a short answer cannot be found by trial.
 */
export function answerDigest({ payloads }: Pick<Call, "payloads">, approval: string, answer: Json): string {
  return digest({ approval, answer, nonce: payloads.input?.salt ?? "" });
}

/**
 * Returns the votes for the answer that would be performed, which is the last one given. People who gave another answer
 * approved something else, and do not count towards a quorum with these. [TRUST 33] Voters who are frozen or disabled
 * now do not count either.
 */
export function agreeingVotes(
  call: Pick<Call, "payloads" | "events" | "barredVoters">,
  { round, votes, digest }: Pick<Approval, "round" | "votes" | "digest">,
): readonly CastVote[] {
  const { answer } = call.payloads;
  const wanted = answer && answerDigest(call, digest, answer.value);
  const cast = eventsOfKind(call.events, "voted").filter(({ data }) => data.round === round);
  const agrees = (voter: string) =>
    cast.findLast(({ data }) => data.by === voter)?.data.answerDigest === wanted;
  return votes.filter(
    ({ by, decision }) => decision !== "approve" || (agrees(by) && !call.barredVoters?.includes(by)),
  );
}
