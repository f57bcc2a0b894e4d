import type { CallRef, Credentials } from "@paraph/core";
import { type Endpoint, isWanted } from "./endpoint.ts";
import type { NewsItem, Outbox } from "./outbox.ts";
import type { Sender } from "./send.ts";
import { signedHeaders } from "./signature.ts";

export interface DeliveryParts {
  readonly outbox: Outbox;
  readonly credentials: Credentials;
  readonly now: () => number;
  /** One fact as the API says it: ids and codes only. */
  readonly cloudEvent: (ref: CallRef, item: NewsItem) => { readonly type: string };
  readonly log: (code: string, about?: { tenant: string; call: string; cause?: string }) => void;
}

/** Tried again after 1 s, then twice as long each time, an hour at most; given up after three days. */
export function waitBefore(attempts: number): number {
  return Math.min(1_000 * 2 ** attempts, 3_600_000);
}
const longestMs = 3 * 24 * 3_600_000;

/**
 * Tells an endpoint what is new of one call, in order. What was sent is recorded after it was taken: a process that dies
 * in between sends it again under the same id. True: it was taken, or there was nothing to tell.
 */
export async function deliver(
  endpoint: Endpoint,
  ref: CallRef,
  sender: Sender,
  signal: AbortSignal,
  parts: DeliveryParts,
): Promise<boolean> {
  const { outbox, now, log } = parts;
  const news = await outbox.news(endpoint.id, ref);
  if (!news) return true;
  const { principal, attempts, failingSince } = news;
  for (const [index, event] of news.events.entries()) {
    const told = parts.cloudEvent(ref, event);
    const wanted =
      isWanted(endpoint, { tenant: ref.tenant, principal, type: told.type }) &&
      !(endpoint.people && isQuestion(event) && (await outbox.isFlood(endpoint.id, ref)));
    const code = wanted ? await sent(endpoint, ref, event.seq, told, sender, signal, parts) : undefined;
    if (signal.aborted) return true;
    // Only the first can have failed before: told() begins anew with the next.
    const since = index === 0 ? failingSince : null;
    const tooLate = code !== undefined && since !== null && now() - since > longestMs;
    if (code !== undefined && !tooLate) {
      await outbox.failed(endpoint.id, ref, waitBefore(index === 0 ? attempts : 0), code);
      return false;
    }
    if (tooLate) log("webhook-given-up", { ...ref, cause: code });
    if (!(await outbox.told(endpoint.id, ref, event.seq, tooLate))) return true;
  }
  return true;
}

/** What calls for people's attention. How a call ended is told in any case. */
function isQuestion({ kind }: NewsItem): boolean {
  return kind === "asked" || kind === "reminded" || kind === "escalated" || kind === "handed-over";
}

async function sent(
  endpoint: Endpoint,
  { tenant, call }: CallRef,
  seq: number,
  told: object,
  sender: Sender,
  signal: AbortSignal,
  { credentials, now, log }: DeliveryParts,
): Promise<string | undefined> {
  const body = JSON.stringify(told);
  // A full stop parts what is signed: an id must not have one.
  const message = { id: `${call}_${seq}`, timestamp: Math.floor(now() / 1_000), body };
  let headers: Record<string, string>;
  try {
    headers = signedHeaders(message, await credentials.resolve(tenant, endpoint.secret));
  } catch {
    // Unsigned it would be worth nothing; it is kept until there is a secret.
    log("webhook-secret-missing", { tenant, call });
    return "secret-missing";
  }
  return sender.send(endpoint.url, headers, body, signal);
}
