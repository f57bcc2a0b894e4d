import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { QuotedText } from "./document.ts";

const maxLines = 30;
/** Longer lines are cut. */
export const maxLineLength = 300;

/** [TRUST 6] Cuts a foreign text, and counts what it leaves out. Every line that it keeps is complete or marked. */
export function toQuote(text: string): QuotedText {
  const lines = text.replace(/\n$/, "").split("\n");
  return { lines: lines.slice(0, maxLines).map(cutLine), left: Math.max(0, lines.length - maxLines) };
}

/** Cuts a text to the length of a line, and says so. Hidden characters other than tabs become visible. */
export function cutLine(text: string): string {
  const start = text.slice(0, maxLineLength).toWellFormed();
  const shown = start.split("\t").map(escapeInvisible).join("\t");
  const left = text.length - maxLineLength;
  return left > 0 ? `${shown} … (${left} more characters)` : shown;
}

/** Returns whether a mail shows the text without a cut. */
export function isShownWhole(text: string | undefined): boolean {
  const { lines, left } = toQuote(text ?? "");
  return left === 0 && !lines.some((line) => line.length > maxLineLength);
}
