import type { ImapSession } from "../connection/imap-session.ts";
import type { TextPart } from "./parts.ts";

/** Reads the text of a message, decoded, up to this size. */
export async function readText(
  session: ImapSession,
  uid: number,
  text: TextPart | undefined,
  maxBytes: number,
): Promise<{ readonly text: string; readonly format: "plain" | "html" | "none"; readonly cut: boolean }> {
  if (!text) return { text: "", format: "none", cut: false };
  const content = await session.download(uid, text.part, maxBytes + 1);
  const decoded = content.subarray(0, maxBytes).toString("utf8");
  return {
    text: decoded.replaceAll("\r\n", "\n").toWellFormed(),
    format: text.format,
    cut: content.length > maxBytes,
  };
}
