import { type Call, commitment, type Payload, type VisiblePayloads } from "@paraph/core";

/** Returns the reason that a person gave with an event, as the reader may see it. */
export type FindReason = (data: { readonly reason?: string }) => string | undefined;

/**
 * Creates the function that finds the reasons of a call's events among the stored ones. An event commits to its reason,
 * so that no reason is shown as the words of another person.
 */
export function createReasonFinder(
  call: Call,
  stored: readonly Payload[],
  mask: (call: Call) => VisiblePayloads,
): FindReason {
  const byCommitment = new Map(stored.map((reason) => [commitment(reason.salt, reason.value), reason]));
  return ({ reason: committed }) => {
    const reason = committed === undefined ? undefined : byCommitment.get(committed);
    const shown = reason && mask({ ...call, payloads: { ...call.payloads, reason } }).payloads.reason;
    return typeof shown === "string" ? shown : undefined;
  };
}
