import type { Channel, ChannelMessage, Delivery } from "../channel.ts";
import { composeCall, composeSummary, type SlackMessage } from "./compose-message.ts";
import { type SlackClient, SlackError } from "./slack-client.ts";

/** The errors that mean that this message to this recipient would fail again. */
const permanentCodes: readonly string[] = [
  ...["channel_not_found", "is_archived", "user_not_found", "users_not_found", "user_disabled"],
  ...["cannot_dm_bot", "invalid_blocks", "msg_too_long", "message_not_found", "cant_update_message"],
];

/** Fields of every message: Slack must read no links, names or formatting in its text. */
const literal = { mrkdwn: false, link_names: false, parse: "none", unfurl_links: false, unfurl_media: false };

/**
 * Opens the Slack channel. The first notice about a call posts a message. Later ones change that message, and a reminder
 * also replies in its thread, because Slack announces no change.
 */
export function openSlack(client: SlackClient): Omit<Channel, "close"> {
  return {
    async tell(message, signal) {
      try {
        return { kind: "sent", providerId: await send(message, client, signal) };
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        return toFailure(error);
      }
    },
  };
}

async function send(message: ChannelMessage, client: SlackClient, signal: AbortSignal): Promise<string> {
  const { id, tenant, address, content, thread, since } = message;
  // Only a channel that reads mails answers them.
  if (content.kind === "answer" || content.kind === "mail-request") throw new SlackError("invalid_blocks");
  const composed = content.kind === "summary" ? composeSummary(content) : composeCall(content, tenant);
  const channel = await openConversation(address, client, signal);
  // The first message of the thread can be missing. An earlier attempt then posted this notice as a message of its own.
  const ids = [...(thread ? [thread.id] : []), ...(since === undefined ? [] : [id])];
  const first =
    toPlace(thread?.providerId) ??
    (await findPosted({ ids, since: thread?.since ?? since }, { channel }, client, signal));
  if (!first) return post({ channel }, composed, id, client, signal);
  await client.call(
    "chat.update",
    { channel: first.channel, ts: first.ts, ...composed, parse: "none" },
    signal,
  );
  if (thread && content.kind !== "outcome" && content.kind !== "summary") {
    const words =
      content.kind === "reminder"
        ? "Reminder: this request still waits for a decision."
        : "This request changed and waits for a decision.";
    const ids = since === undefined ? [] : [id];
    if (!(await findPosted({ ids, since }, first, client, signal)))
      await post({ channel: first.channel, thread_ts: first.ts }, { text: words }, id, client, signal);
  }
  return `${first.channel}:${first.ts}`;
}

async function post(
  place: { readonly channel: string; readonly thread_ts?: string },
  composed: Pick<SlackMessage, "text">,
  id: string,
  client: SlackClient,
  signal: AbortSignal,
): Promise<string> {
  const metadata = { event_type: metadataType, event_payload: { notice: id } };
  const posted = await client.call(
    "chat.postMessage",
    { ...place, ...composed, ...literal, metadata },
    signal,
  );
  if (typeof posted.ts !== "string") throw new SlackError("answer-invalid");
  return `${place.channel}:${posted.ts}`;
}

/** Returns the conversation of an address. A person is reached in a direct message. */
async function openConversation(address: string, client: SlackClient, signal: AbortSignal): Promise<string> {
  if (!/^[UW]/.test(address)) return address;
  const { channel } = await client.call("conversations.open", { users: address }, signal);
  const { id } = (channel ?? {}) as { readonly id?: unknown };
  if (typeof id !== "string") throw new SlackError("answer-invalid");
  return id;
}

const metadataType = "paraph_notice";
const pageSize = 200;
const maxPages = 50;
/** The tolerance for a clock of Slack that is behind PostgreSQL's. */
const clockMarginMs = 3_600_000;

/**
 * Finds the message of one of these notices, which earlier attempts may have posted, by the notice's id in its metadata.
 * Slack has no idempotency key for new messages. The search reads every message since the notice was created, in the
 * conversation or in the thread of a message. It fails if it cannot read them all, so that no notice is posted twice.
 */
async function findPosted(
  { ids, since = 0 }: { readonly ids: readonly string[]; readonly since: number | undefined },
  place: { readonly channel: string; readonly ts?: string },
  client: SlackClient,
  signal: AbortSignal,
): Promise<{ readonly channel: string; readonly ts: string } | undefined> {
  if (ids.length === 0) return undefined;
  const method = place.ts === undefined ? "conversations.history" : "conversations.replies";
  const oldest = String(Math.max(0, since - clockMarginMs) / 1_000);
  const query = { ...place, oldest, limit: pageSize, include_all_metadata: true };
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await client.call(method, { ...query, ...(cursor && { cursor }) }, signal);
    if (!Array.isArray(answer.messages)) throw new SlackError("answer-invalid");
    const found = answer.messages.find(
      ({ metadata }) => metadata?.event_type === metadataType && ids.includes(metadata.event_payload?.notice),
    );
    if (typeof found?.ts === "string") return { channel: place.channel, ts: found.ts };
    cursor = (answer.response_metadata as { readonly next_cursor?: string } | undefined)?.next_cursor;
    if (!cursor) return undefined;
  }
  throw new SlackError("history-too-long");
}

/** Reads the id that Slack gave a message: its conversation and its time. */
function toPlace(providerId: string | undefined) {
  const [channel, ts] = providerId?.split(":") ?? [];
  return channel !== undefined && ts !== undefined ? { channel, ts } : undefined;
}

function toFailure({ code, waitMs }: SlackError): Delivery {
  return {
    kind: "failed",
    code: `slack-${code.replaceAll("_", "-")}`,
    permanent: permanentCodes.includes(code),
    ...(waitMs !== undefined && { waitMs: Math.ceil(waitMs) }),
  };
}
