import { isRoundOpen } from "@paraph/core";
import type { HandleContext } from "../channel.ts";
import { buildCallContent, type CallContent } from "../notice-content.ts";
import { composeCall, type SlackSubject } from "./compose-message.ts";
import { type SlackClient, SlackError } from "./slack-client.ts";

/** Returns what a message about the request shows now. The kind is `outcome` if the request no longer waits. */
export async function loadContent(
  { tenant, approval }: SlackSubject,
  { ports, url }: HandleContext,
): Promise<CallContent | undefined> {
  const call = await ports.store.findByApproval(tenant, approval);
  if (!call?.approval) return undefined;
  const kind = isRoundOpen(call, call.approval, ports.clock.now()) ? "request" : "outcome";
  return buildCallContent(call, call.approval, { kind, seq: -1 }, { ports, url });
}

/** Changes a message to the current state of its request. Paraph does not repeat a failure, because notices follow. */
export async function refreshMessage(
  subject: SlackSubject,
  { channel, ts }: { readonly channel: string; readonly ts: string },
  client: SlackClient,
  context: HandleContext,
): Promise<void> {
  const content = await loadContent(subject, context);
  if (!content) return;
  try {
    await client.call("chat.update", { channel, ts, ...composeCall(content, subject.tenant), parse: "none" });
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    context.log("slack-failed", { tenant: subject.tenant, cause: error.code });
  }
}
