import type { Call, CallFacts } from "../call.ts";
import type { Json } from "../json.ts";
import { commitment } from "./digest.ts";
import { type Sealer, sealEvent } from "./seal.ts";

/**
 * Returns the commitment to the facts of a call that no event states in plain text. These are the caller's own
 * identifiers, and digests and lock keys from the input. It uses the input's salt, so that it tells nothing once the
 * input is erased.
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

/** Returns a draft whose acceptance commits to its facts and is sealed. This must be the last change to a draft. */
export function withCallCommitment(call: Call, sealer: Sealer): Call {
  const facts = callCommitment(call.payloads.input?.salt ?? "", call);
  const events = call.events.map((event) => {
    if (event.kind !== "accepted") return event;
    const accepted = { ...event, data: { ...event.data, facts } };
    return { ...sealEvent({ ...call, events: [] }, accepted, sealer), seq: event.seq };
  });
  return { ...call, events };
}
