import { findNewText } from "../in/new-text.ts";
import type { ReceivedMail } from "../in/verify-sender.ts";

/** Why Paraph does not read the words of a mail. */
export type WordsFault =
  | "empty"
  | "below-quote"
  | "html-only"
  | "several-parts"
  | "mail-too-large"
  | "words-too-long";

/** The lines that the sender wrote, or the reason why Paraph does not read them. */
export type ReadWords = { readonly lines: readonly string[] } | { readonly fault: WordsFault };

const maxWords = 10_000;
/** `findNewText` cuts longer lines, and a cut line could lose a condition. */
const maxLineLength = 2_000;

/**
 * [TRUST 35] Reads the words of a mail: only plain text, and only above the first quoted or forwarded text. A parser
 * joins the texts of an attached mail and of several text parts, so a mail with these is not read.
 */
export function readWords({ raw, message: { text, html } }: ReceivedMail, maxBytes: number): ReadWords {
  if (raw.length > maxBytes) return { fault: "mail-too-large" };
  if (hasSeveralTexts(raw)) return { fault: "several-parts" };
  if (text === undefined || text.trim() === "") return { fault: html === undefined ? "empty" : "html-only" };
  const { lines, hasTextBelowQuote } = findNewText(text);
  if (lines.length === 0) return { fault: hasTextBelowQuote ? "below-quote" : "empty" };
  const isTooLong = lines.join("\n").length > maxWords || lines.some((line) => line.length >= maxLineLength);
  return isTooLong ? { fault: "words-too-long" } : { lines };
}

function hasSeveralTexts(raw: Buffer): boolean {
  const source = raw.toString("latin1");
  const texts = source.match(/^content-type:\s{0,10}text\/plain\b/gim) ?? [];
  return texts.length > 1 || /^content-type:\s{0,10}message\//im.test(source);
}

/** Mail programs wrap lines of plain text near this length. */
const minWrappedLength = 60;

/**
 * Joins the lines of one text. A line break ends a sentence of a request, so the breaks of mail programs must not remain:
 * a long line continues on the next one.
 */
export function joinWrapped(lines: readonly string[]): string {
  return lines
    .map((line, index) =>
      index === lines.length - 1 ? line : `${line}${line.length >= minWrappedLength ? " " : "\n"}`,
    )
    .join("");
}
