import { findAutomaticReason, type IgnoredReason } from "./automatic.ts";
import { type Command, readCommand } from "./command.ts";
import { readHtmlText } from "./html-text.ts";
import { findNewText } from "./new-text.ts";
import type { ParsedMessage } from "./parse-message.ts";

/** The content of a mail, before Paraph checks its sender. */
export type ReplyVerdict = Command | { readonly kind: "ignored"; readonly reason: IgnoredReason };

/**
 * Reads what a reply asks for. It reads only what the sender wrote above the quoted mail, and never a subject or an
 * attachment.
 */
export function readReply(message: ParsedMessage, own: readonly string[]): ReplyVerdict {
  const reason = findAutomaticReason(message, own);
  if (reason !== undefined) return { kind: "ignored", reason };
  if (message.text !== undefined && message.text.trim() !== "") return readCommand(findNewText(message.text));
  const command = readCommand(findNewText(readHtmlText(message.html ?? "")));
  // Quotes in HTML depend on the client's markup, so a missed quote must not become an approval.
  return command.kind === "approve-wanted" ? { kind: "help", reason: "html-only" } : command;
}
