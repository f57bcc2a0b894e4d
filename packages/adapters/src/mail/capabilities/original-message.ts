import type { JsonObject } from "@paraph/core";
import type { MessageAddressObject } from "imapflow";
import type { ImapSession } from "../connection/imap-session.ts";
import { mailFault } from "../connection/mail-fault.ts";
import { canonicalAddress } from "../messages/address.ts";
import type { MessageSummary } from "../messages/describe.ts";
import { findMessage, identifyMessage } from "../messages/find-message.ts";
import type { MessageReference } from "../messages/message-id.ts";

/** A message that a call answers or forwards. Other people wrote everything in it. */
export interface OriginalMessage {
  readonly summary: MessageSummary;
  readonly messageId: string | undefined;
  readonly references: readonly string[];
  /** The addresses that want the answer, and those that got the message too. */
  readonly replyTo: readonly string[];
  readonly others: readonly string[];
  readonly basis: JsonObject;
}

const messageIdPattern = /<[\x21-\x3b\x3d\x3f-\x7e]{3,250}>/g;
/** RFC 5322 sets no limit, and clients keep the first and the last ones. */
const maxReferences = 20;

export async function readOriginal(
  session: ImapSession,
  reference: MessageReference,
): Promise<OriginalMessage> {
  const { found, summary } = await findMessage(session, reference, "read", { headers: ["references"] });
  const { from = [], replyTo = [], to = [], cc = [] } = found.envelope ?? {};
  const references = (found.headers?.toString("latin1") ?? "").match(messageIdPattern) ?? [];
  return {
    summary,
    messageId: found.envelope?.messageId?.match(messageIdPattern)?.[0],
    references: references.slice(-maxReferences),
    replyTo: toAddresses(replyTo.length > 0 ? replyTo : from),
    others: toAddresses([...to, ...cc]),
    basis: identifyMessage(summary),
  };
}

/** Returns the headers that put an answer into the thread of the original. */
export function createReplyHeaders({ messageId, references }: OriginalMessage) {
  return messageId === undefined ? {} : { inReplyTo: messageId, references: [...references, messageId] };
}

/** Returns the subject of an answer or of a forwarded message, with one prefix. */
export function addPrefix(prefix: "Re" | "Fwd", { summary }: OriginalMessage): string {
  const known = prefix === "Re" ? /^re:\s*/i : /^fwd?:\s*/i;
  return `${prefix}: ${summary.subject.replace(known, "")}`.slice(0, 500).trim().toWellFormed();
}

/** Returns the addresses in their one spelling. A foreign address that is not a plain address cannot get an answer. */
function toAddresses(found: readonly MessageAddressObject[]): string[] {
  return found.flatMap(({ address = "" }) => {
    try {
      return [canonicalAddress(address)];
    } catch {
      return [];
    }
  });
}

export function requireReplyAddress({ replyTo }: OriginalMessage): readonly string[] {
  if (replyTo.length > 0) return replyTo;
  throw mailFault(
    "permanent",
    "recipients-invalid",
    "The message names no address that can get an answer. Send a new message instead.",
  );
}
