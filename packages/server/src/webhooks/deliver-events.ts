import type { CallRef, Credentials } from "@paraph/core";
import { type Endpoint, isSubscribed } from "./endpoint.ts";
import type { Outbox, PendingEvent } from "./outbox.ts";
import type { WebhookSender } from "./send.ts";
import { createSignedHeaders } from "./signature.ts";

/** The dependencies of `deliverEvents`. */
export interface DeliveryDeps {
  readonly outbox: Outbox;
  readonly credentials: Credentials;
  readonly now: () => number;
  /** Converts an event to the API's form, with ids and codes only. */
  readonly toCloudEvent: (ref: CallRef, item: PendingEvent) => { readonly type: string };
  readonly log: (code: string, about?: { tenant: string; call: string; cause?: string }) => void;
}

/**
 * Returns the delay before the next attempt: 1 s, then doubled each time, at most 1 h. Delivery is abandoned after
 * three days.
 */
export function computeRetryDelay(attempts: number): number {
  return Math.min(1_000 * 2 ** attempts, 3_600_000);
}
const maxRetryMs = 3 * 24 * 3_600_000;

/**
 * Delivers the new events of one call in order. It records a delivery only after the endpoint accepted it. If the
 * process dies in between, the next process repeats the delivery under the same id. Returns true if the endpoint
 * accepted the events or there were none.
 */
export async function deliverEvents(
  endpoint: Endpoint,
  ref: CallRef,
  sender: WebhookSender,
  signal: AbortSignal,
  parts: DeliveryDeps,
): Promise<boolean> {
  const { outbox, now, log } = parts;
  const news = await outbox.news(endpoint.id, ref);
  if (!news) return true;
  const { principal, attempts, failingSince } = news;
  for (const [index, event] of news.events.entries()) {
    const told = parts.toCloudEvent(ref, event);
    const wanted =
      isSubscribed(endpoint, { tenant: ref.tenant, principal, type: told.type }) &&
      !(endpoint.people && isApprovalEvent(event) && (await outbox.isFlood(endpoint.id, ref)));
    const code = wanted ? await sendEvent(endpoint, ref, event.seq, told, sender, signal, parts) : undefined;
    if (signal.aborted) return true;
    // Only the first event can have failed before, because `told()` resets the failures for the next one.
    const since = index === 0 ? failingSince : null;
    const tooLate = code !== undefined && since !== null && now() - since > maxRetryMs;
    if (code !== undefined && !tooLate) {
      await outbox.failed(endpoint.id, ref, computeRetryDelay(index === 0 ? attempts : 0), code);
      return false;
    }
    if (tooLate) log("webhook-given-up", { ...ref, cause: code });
    if (!(await outbox.told(endpoint.id, ref, event.seq, tooLate))) return true;
  }
  return true;
}

/**
 * Returns whether the event asks for people's attention. In a flood, Paraph leaves out only such events. It delivers
 * outcomes in any case.
 */
function isApprovalEvent({ kind }: PendingEvent): boolean {
  return kind === "asked" || kind === "reminded" || kind === "escalated" || kind === "reassigned";
}

async function sendEvent(
  endpoint: Endpoint,
  { tenant, call }: CallRef,
  seq: number,
  told: object,
  sender: WebhookSender,
  signal: AbortSignal,
  { credentials, now, log }: DeliveryDeps,
): Promise<string | undefined> {
  const body = JSON.stringify(told);
  // A full stop separates the signed parts, so the id must not contain one.
  const message = { id: `${call}_${seq}`, timestamp: Math.floor(now() / 1_000), body };
  let headers: Record<string, string>;
  try {
    headers = createSignedHeaders(message, await credentials.resolve(tenant, endpoint.secret));
  } catch {
    // An unsigned message has no value to the receiver, so the event waits until there is a secret.
    log("webhook-secret-missing", { tenant, call });
    return "secret-missing";
  }
  return sender.send(endpoint.url, headers, body, signal);
}
