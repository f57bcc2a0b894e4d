import { acknowledge, ParaphError } from "@paraph/core";
import type { HandleContext } from "../channel.ts";
import { button, buttons, line, rich, text } from "./blocks.ts";
import { canApproveInSlack, composeDialog } from "./compose-message.ts";
import { createInvitation } from "./create-invitation.ts";
import { findPerson } from "./find-person.ts";
import type { Press } from "./payloads.ts";
import { loadContent, refreshMessage } from "./refresh-message.ts";
import type { SlackClient } from "./slack-client.ts";

/**
 * Handles a button. A button never decides: it opens a dialog, or says in a message for this account only why it cannot.
 * The payload names the request, and Paraph checks everything else at this moment.
 */
export async function handlePress(press: Press, client: SlackClient, context: HandleContext): Promise<void> {
  const [{ action_id: action, value: subject }] = press.actions;
  const { channel_id: channel, message_ts: ts } = press.container;
  const actor = { team: press.user.team_id ?? press.team?.id ?? "", account: press.user.id };
  const whisper = async (words: string, url?: string) => {
    const blocks = [
      rich(line(text(words))),
      ...(url === undefined ? [] : [buttons(button("open", "Link this account", { url, style: "primary" }))]),
    ];
    await client.call("chat.postEphemeral", { channel, user: actor.account, text: words, blocks });
  };
  const found = await findPerson(subject.tenant, actor, client, context);
  if (found.kind === "foreign")
    return whisper("Only members of the workspace in which Paraph is installed can decide here.");
  if (found.kind !== "person")
    return whisper(
      "This Slack account is not linked to Paraph, so it decides nothing. The link below works for ten minutes.",
      await createInvitation(actor, client, context),
    );

  const content = await loadContent(subject, context);
  const stale = async () => {
    await refreshMessage(subject, { channel, ts }, client, context);
    return whisper("This request was already decided, or it changed. The message shows its current state.");
  };
  if (!content || content.kind === "outcome" || content.digest !== subject.digest) return stale();
  if (action === "acknowledge") {
    try {
      const { approval, digest } = subject;
      const noted = await acknowledge({ approval, digest, by: found.principal }, context.ports);
      await context.announceChange(noted.call, noted.wakes);
      return refreshMessage(subject, { channel, ts }, client, context);
    } catch (error) {
      if (!(error instanceof ParaphError)) throw error;
      return error.code === "approval-closed" ? stale() : whisper(error.message);
    }
  }
  if (action === "approve" && !canApproveInSlack(content))
    return whisper(`This request is approved on the page: ${content.links.page}`);
  const view = composeDialog(action, content, { ...subject, message: `${channel}:${ts}` });
  await client.call("views.open", { trigger_id: press.trigger_id, view });
}
