import type { Approval, CastVote } from "../../approval.ts";
import type { Call } from "../../call.ts";
import { eventsOfKind } from "../../event.ts";
import type { Json } from "../../json.ts";
import { digest } from "../../receipts/digest.ts";

/** What a vote with this answer approves. The input's salt is inside, so that nobody can find a short answer by trying. */
export function answerDigest({ payloads }: Pick<Call, "payloads">, approval: string, answer: Json): string {
  return digest({ approval, answer, nonce: payloads.input?.salt ?? "" });
}

/**
 * The votes for the answer that would be performed, which is the last one given. Where people are asked for an answer, those
 * who gave another have approved something else, and do not count towards a quorum with these. [TRUST 33] Neither do those who
 * are frozen or disabled by now.
 */
export function agreeingVotes(
  call: Pick<Call, "payloads" | "events" | "barredVoters">,
  { round, votes, digest: approval }: Pick<Approval, "round" | "votes" | "digest">,
): readonly CastVote[] {
  const { answer } = call.payloads;
  const wanted = answer && answerDigest(call, approval, answer.value);
  const cast = eventsOfKind(call.events, "voted").filter(({ data }) => data.round === round);
  const agrees = (voter: string) =>
    cast.findLast(({ data }) => data.by === voter)?.data.answerDigest === wanted;
  return votes.filter(
    ({ by, decision }) => decision !== "approve" || (agrees(by) && !call.barredVoters?.includes(by)),
  );
}
