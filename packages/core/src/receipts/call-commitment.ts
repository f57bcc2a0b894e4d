import type { Call, CallFacts } from "../call.ts";
import type { Json } from "../json.ts";
import { commitment } from "./digest.ts";
import { type Sealer, sealEvent } from "./seal.ts";

/**
 * The commitment of what is settled when a call is opened and no event says in the clear: the caller's own words for it,
 * and digests and lock keys that come from its input. Salted as the input is, so that it tells nothing once that is erased.
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

/** A drafted call whose acceptance commits to its facts and is sealed: the last thing that is done to a draft. */
export function withCallCommitment(call: Call, sealer: Sealer): Call {
  const facts = callCommitment(call.payloads.input?.salt ?? "", call);
  const events = call.events.map((event) => {
    if (event.kind !== "accepted") return event;
    const accepted = { ...event, data: { ...event.data, facts } };
    return { ...sealEvent({ ...call, events: [] }, accepted, sealer), seq: event.seq };
  });
  return { ...call, events };
}
