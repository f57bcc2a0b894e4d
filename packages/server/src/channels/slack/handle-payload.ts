import { createHash } from "node:crypto";
import { seesEverything } from "@paraph/core";
import type { HandleContext } from "../channel.ts";
import { button, buttons, line, rich, text } from "./blocks.ts";
import { createInvitation } from "./create-invitation.ts";
import { type Actor, findPerson } from "./find-person.ts";
import { handlePress } from "./handle-press.ts";
import { handleSubmission } from "./handle-submission.ts";
import { type Comment, challengeSchema, commentSchema, pressSchema, submissionSchema } from "./payloads.ts";
import type { SlackClient } from "./slack-client.ts";

/**
 * Handles one payload of Slack, which came over a connection that Paraph opened or with a valid signature. Returns what
 * Slack gets as the response. Slack can send a payload twice, so each effect recognises itself. Paraph ignores payloads
 * that it does not know.
 */
export async function handlePayload(
  payload: unknown,
  client: SlackClient,
  context: HandleContext,
): Promise<object | undefined> {
  const press = pressSchema.safeParse(payload);
  if (press.success) {
    await handlePress(press.data, client, context);
    return undefined;
  }
  const submission = submissionSchema.safeParse(payload);
  if (submission.success) return handleSubmission(submission.data, client, context);
  const comment = commentSchema.safeParse(payload);
  if (comment.success) {
    await handleComment(comment.data, client, context);
    return undefined;
  }
  const challenge = challengeSchema.safeParse(payload);
  return challenge.success ? { challenge: challenge.data.challenge } : undefined;
}

const maxComment = 10_000;

/** Posts a message of a thread as a comment on the call. One message of Slack is one comment. */
async function handleComment(
  { team_id: team, event }: Comment,
  client: SlackClient,
  context: HandleContext,
): Promise<void> {
  const { slack, ports, messageStore, announceChange, log } = context;
  const { channel, thread_ts: thread, ts, user } = event;
  const actor = { team: event.user_team ?? event.source_team ?? team, account: user };
  if (thread === undefined) {
    if (channel.startsWith("D")) await offerLink(channel, actor, client, context);
    return;
  }
  const about = await slack.findMessage(`${channel}:${thread}`);
  if (!about) return;
  const found = await findPerson(about.tenant, actor, client, context);
  if (found.kind !== "person" || !seesEverything(found.principal))
    return log("slack-comment-ignored", { ...about, cause: found.kind });
  const written = toPlainText(event.text).trim();
  if (written === "" || written.length > maxComment)
    return log("slack-comment-ignored", { ...about, cause: "size" });
  const hash = createHash("sha256")
    .update(JSON.stringify([actor.team, channel, ts]))
    .digest("hex");
  const message = {
    id: `message_${hash.slice(0, 32)}`,
    call: about.call,
    by: found.principal.id,
    kind: "comment",
    text: written,
    salt: ports.random.salt(),
  } as const;
  const { changed } = await messageStore.append(about.tenant, message);
  const call = changed === "done" && (await ports.store.load(about));
  if (call) await announceChange(call, []);
}

/** Answers a direct message with a link to the page on which its sender links their account. */
async function offerLink(channel: string, actor: Actor, client: SlackClient, context: HandleContext) {
  if (actor.team !== (await client.findTeam()).id) return;
  const url = await createInvitation(actor, client, context);
  const words =
    "Link this Slack account to Paraph, to get requests here and to decide. The link works for ten minutes.";
  const blocks = [
    rich(line(text(words))),
    buttons(button("open", "Link this account", { url, style: "primary" })),
  ];
  await client.call("chat.postMessage", { channel, text: words, blocks });
}

/** Returns the text that the person wrote. Slack escapes three characters. */
function toPlainText(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
