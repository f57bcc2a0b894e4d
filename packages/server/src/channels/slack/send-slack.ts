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
  const { id, tenant, address, content, thread, again = false } = message;
  // Only a channel that reads mails answers them.
  if (content.kind === "answer" || content.kind === "mail-request") throw new SlackError("invalid_blocks");
  const composed = content.kind === "summary" ? composeSummary(content) : composeCall(content, tenant);
  const channel = await openConversation(address, client, signal);
  const first = thread
    ? (toPlace(thread.providerId) ?? (await findPosted(thread.id, channel, client, signal)))
    : again
      ? await findPosted(id, channel, client, signal)
      : undefined;
  if (!first) return post(channel, composed, id, client, signal);
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
    const reply = { channel: first.channel, thread_ts: first.ts, text: words, ...literal };
    await client.call("chat.postMessage", reply, signal);
  }
  return `${first.channel}:${first.ts}`;
}

async function post(
  channel: string,
  composed: SlackMessage,
  id: string,
  client: SlackClient,
  signal: AbortSignal,
): Promise<string> {
  const metadata = { event_type: metadataType, event_payload: { notice: id } };
  const posted = await client.call(
    "chat.postMessage",
    { channel, ...composed, ...literal, metadata },
    signal,
  );
  if (typeof posted.ts !== "string") throw new SlackError("answer-invalid");
  return `${channel}:${posted.ts}`;
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
const searchedMessages = 100;

/**
 * Finds the message of a notice whose earlier attempt may have posted it, by the notice's id in its metadata. If more than
 * a hundred messages followed, it finds none, and the notice is posted twice.
 */
async function findPosted(id: string, channel: string, client: SlackClient, signal: AbortSignal) {
  const query = { channel, limit: searchedMessages, include_all_metadata: true };
  const { messages } = await client.call("conversations.history", query, signal);
  const found = (Array.isArray(messages) ? messages : []).find(
    ({ metadata }) => metadata?.event_type === metadataType && metadata.event_payload?.notice === id,
  );
  return typeof found?.ts === "string" ? { channel, ts: found.ts as string } : undefined;
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
