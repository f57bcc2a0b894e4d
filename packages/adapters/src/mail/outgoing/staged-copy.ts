import type { ImapSession, MailFolders } from "../connection/imap-session.ts";
import { mailFault } from "../connection/mail-fault.ts";
import type { MessageReference } from "../messages/message-id.ts";

/** The result of staging: this attempt owns the only copy, or an earlier attempt has sent the message. */
export type Staged =
  | { readonly kind: "staged"; readonly copy: MessageReference }
  | { readonly kind: "sent"; readonly copy: MessageReference };

/**
 * [P7] Puts a copy of the message into the drafts, and makes sure that it is the first. Two attempts of one call can run
 * at the same time if a frozen process continues. Both stage a copy before they look, so at most one of them finds no
 * copy before its own. The other one deletes its copy and reports that the message may have been sent.
 */
export async function stageCopy(
  session: ImapSession,
  folders: MailFolders,
  messageId: string,
  content: Buffer,
): Promise<Staged> {
  const uid = await session.append(folders.drafts, content, ["\\Draft", "\\Seen"]);
  const { inDrafts, inSent } = await findCopies(session, folders, messageId);
  const own = inDrafts.find((copy) => copy.uid === uid);
  const [sent] = inSent;
  if (own && !sent && inDrafts[0] === own) return { kind: "staged", copy: own };
  if (own) {
    await session.open(folders.drafts, "write");
    await session.remove(uid);
  }
  if (sent) return { kind: "sent", copy: sent };
  throw mailFault(
    "ambiguous",
    "copy-exists",
    "Another attempt of this call left its copy in the drafts, so it may have completed.",
  );
}

/**
 * Finds the copies of a message, oldest first. It looks in the drafts first, because a copy moves from the drafts to the
 * sent messages, and would otherwise be missed.
 */
export async function findCopies(
  session: ImapSession,
  { drafts, sent }: MailFolders,
  messageId: string,
): Promise<{ readonly inDrafts: readonly MessageReference[]; readonly inSent: readonly MessageReference[] }> {
  const find = async (folder: string) => {
    const { uidValidity } = await session.open(folder);
    const uids = await session.findByMessageId(messageId);
    return uids.map((uid) => ({ uid, uidValidity: String(uidValidity), folder }));
  };
  return { inDrafts: await find(drafts), inSent: await find(sent) };
}
