import type { FetchQueryObject } from "imapflow";
import type { ImapSession } from "../connection/imap-session.ts";
import { messageMissingFault } from "../connection/mail-fault.ts";
import { type MessageSummary, summarizeMessage, summaryQuery } from "./describe.ts";
import type { MessageReference } from "./message-id.ts";

/** Opens the folder of a message and returns its summary. Throws if the message is missing. */
export async function findMessage(
  session: ImapSession,
  reference: MessageReference,
  mode: "read" | "write" = "read",
  query: FetchQueryObject = {},
) {
  await session.openFor(reference, mode);
  const found = await session.fetch(reference.uid, { ...summaryQuery, ...query });
  if (!found) throw messageMissingFault();
  return { found, summary: summarizeMessage(reference, found) };
}

/** The part of a basis that identifies one message. A UID is never given to another message of a folder. */
export function identifyMessage({ message, messageId = "", bytes }: MessageSummary) {
  return { message, messageId, bytes };
}
