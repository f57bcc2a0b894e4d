import type { CallRef, Credentials } from "@paraph/core";
import { type Endpoint, isSubscribed } from "./endpoint.ts";
import type { Outbox, PendingEvent } from "./outbox.ts";
import type { WebhookSender } from "./send.ts";
import { createSignedHeaders } from "./signature.ts";

export interface DeliveryDeps {
  readonly outbox: Outbox;
  readonly credentials: Credentials;
  readonly now: () => number;
  /** One fact as the API says it: ids and codes only. */
  readonly toCloudEvent: (ref: CallRef, item: PendingEvent) => { readonly type: string };
  readonly log: (code: string, about?: { tenant: string; call: string; cause?: string }) => void;
}

/** Tried again after 1 s, then twice as long each time, an hour at most; given up after three days. */
export function computeRetryDelay(attempts: number): number {
  return Math.min(1_000 * 2 ** attempts, 3_600_000);
}
const maxRetryMs = 3 * 24 * 3_600_000;

/**
 * Tells an endpoint what is new of one call, in order. What was sent is recorded after it was taken: a process that dies
 * in between sends it again under the same id. True: it was taken, or there was nothing to tell.
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
    // Only the first can have failed before: told() begins anew with the next.
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

/** What calls for people's attention. How a call ended is told in any case. */
function isApprovalEvent({ kind }: PendingEvent): boolean {
  return kind === "asked" || kind === "reminded" || kind === "escalated" || kind === "handed-over";
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
  // A full stop parts what is signed: an id must not have one.
  const message = { id: `${call}_${seq}`, timestamp: Math.floor(now() / 1_000), body };
  let headers: Record<string, string>;
  try {
    headers = createSignedHeaders(message, await credentials.resolve(tenant, endpoint.secret));
  } catch {
    // Unsigned it would be worth nothing; it is kept until there is a secret.
    log("webhook-secret-missing", { tenant, call });
    return "secret-missing";
  }
  return sender.send(endpoint.url, headers, body, signal);
}
