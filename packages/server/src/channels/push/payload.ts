import { createHash } from "node:crypto";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { ChannelMessage } from "../channel.ts";
import { describeOutcome } from "../mail/describe-outcome.ts";
import type { CallContent, SummaryContent } from "../notice-content.ts";
import { toUrgencyRank } from "../urgency-rank.ts";

/** The content of a push message. The service worker shows it. */
export interface PushPayload {
  readonly kind: (CallContent | SummaryContent)["kind"];
  readonly headline: string;
  readonly requester?: string;
  /** The outcome of the request, or the counts of a summary. */
  readonly text?: string;
  /** When the request expires, in milliseconds. Missing if there is nothing to decide. */
  readonly expiresAt?: number;
  /** The path of the page that a tap opens. */
  readonly path: string;
  /** A new notification replaces the shown one with the same tag. */
  readonly tag: string;
}

/** A push message before its encryption. */
export interface PushMessage {
  readonly payload: PushPayload;
  /** For how long a push service keeps the message for a device that is offline, in seconds. */
  readonly ttl: number;
  readonly urgency: "normal" | "high";
  /** A push service replaces an undelivered message by a later one with the same topic. */
  readonly topic: string;
}

const daySeconds = 86_400;
const maxTtl = 28 * daySeconds;

/** [TRUST 16] Writes the message for a notice. It has the same fields for every recipient, and none that is sensitive. */
export function composePush(
  { id, thread }: Pick<ChannelMessage, "id" | "thread">,
  content: CallContent | SummaryContent,
): PushMessage {
  const path = new URL(content.links.page).pathname;
  if (content.kind === "summary") {
    const { waiting, ended } = content;
    const headline = waiting > 0 ? `${count(waiting)} for you` : `${count(ended)} ended`;
    const text = waiting > 0 && ended > 0 ? `${count(ended)} ended` : undefined;
    const payload = {
      kind: content.kind,
      headline,
      ...(text !== undefined && { text }),
      path,
      tag: "summary",
    };
    return { payload, ttl: daySeconds, urgency: "normal", topic: "summary" };
  }
  const { kind, expiresAt, now, guards } = content;
  // All notices about one call to one recipient have the id of the first one in common.
  const tag = createHash("sha256")
    .update(thread?.id ?? id)
    .digest("base64url")
    .slice(0, 32);
  const isOutcome = kind === "outcome";
  const isUrgent = guards.some(({ urgency }) => toUrgencyRank(urgency) > 0);
  return {
    payload: {
      kind,
      headline: cut(content.headline, 200),
      requester: cut(content.requester.id, 100),
      ...(isOutcome ? { text: cut(describeOutcome(content).status, 200) } : { expiresAt }),
      path,
      tag,
    },
    ttl: isOutcome ? daySeconds : Math.min(maxTtl, Math.max(0, Math.floor((expiresAt - now) / 1_000))),
    urgency: isUrgent && !isOutcome ? "high" : "normal",
    topic: tag,
  };
}

function count(requests: number): string {
  return `${requests.toLocaleString("en-GB")} ${requests === 1 ? "request" : "requests"}`;
}

/** [TRUST 5] Makes hidden characters visible and cuts the text. */
function cut(text: string, max: number): string {
  const shown = escapeInvisible(text).toWellFormed();
  return shown.length > max ? `${shown.slice(0, max - 1).toWellFormed()}…` : shown;
}
