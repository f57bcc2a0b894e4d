import type { Call } from "@paraph/core";
import type { DueNotice } from "../postgres/index.ts";
import type { ChannelMessage } from "./channel.ts";
import { showsEveryChange } from "./mail/document.ts";
import { createReplyToken, digestToken } from "./mail/in/reply-token.ts";
import { findReplyApprovalFault } from "./reply-approval.ts";
import type { SendDeps } from "./send-notices.ts";

/**
 * Creates what lets the recipient reply to a message, and records it before the message leaves. The token expires with
 * the round. A repeated message has a new token, because Paraph keeps only digests of tokens.
 */
export async function createReply(
  notice: DueNotice,
  { message: { content }, call }: { readonly message: ChannelMessage; readonly call?: Call },
  { config, replies, ports }: SendDeps,
): Promise<ChannelMessage["reply"]> {
  const round = call?.approval;
  if (!config.takesReplies || !round || notice.kind === "summary" || notice.kind === "outcome")
    return undefined;
  if (content.kind === "summary" || content.kind === "answer" || content.kind === "mail-request")
    return undefined;
  const token = createReplyToken();
  const complete = showsEveryChange(content);
  await replies.createToken({
    tenant: notice.tenant,
    digest: digestToken(token),
    notice: notice.id,
    recipient: notice.recipient,
    call: call.call,
    approval: round.id,
    roundDigest: round.digest,
    complete,
    expiresAt: round.expiresAt,
  });
  const found = ports.catalog.find(call.tenant, call.capability);
  const contract = found?.contractDigest === call.contractDigest ? found.contract : undefined;
  return { token, approves: complete && findReplyApprovalFault(call, round, contract) === undefined };
}
