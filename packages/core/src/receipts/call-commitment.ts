import type { Call, CallFacts } from "../call.ts";
import type { Json } from "../json.ts";
import { commitment } from "./digest.ts";
import { type Sealer, sealEvent } from "./seal.ts";

/**
 * Returns the commitment to the facts of a call that no event states in plain text. These facts are the caller's own
 * identifiers, and digests and lock keys from the input. The commitment uses the input's salt, so it reveals nothing
 * once the input is erased. If a later version of this function adds a fact, it must omit that fact while the fact is
 * undefined. Otherwise the seals of calls that were accepted earlier would no longer match.
 */
export function callCommitment(
  salt: string,
  facts: Pick<
    CallFacts,
    "key" | "contractDigest" | "requestDigest" | "session" | "trace" | "lockKeys" | "requirements"
  >,
): string {
  const { key, contractDigest, requestDigest, session, trace, lockKeys, requirements } = facts;
  return commitment(salt, {
    key,
    contractDigest,
    requestDigest,
    lockKeys,
    session: session.session ?? null,
    thread: session.thread ?? null,
    trace: trace ?? null,
    requirements: requirements as unknown as Json,
  });
}

/**
 * Returns the draft with a sealed acceptance that commits to the call's facts. The caller must not change the draft
 * afterwards.
 */
export function withCallCommitment(call: Call, sealer: Sealer): Call {
  const facts = callCommitment(call.payloads.input?.salt ?? "", call);
  const events = call.events.map((event) => {
    if (event.kind !== "accepted") return event;
    const accepted = { ...event, data: { ...event.data, facts } };
    return { ...sealEvent({ ...call, events: [] }, accepted, sealer), seq: event.seq };
  });
  return { ...call, events };
}
