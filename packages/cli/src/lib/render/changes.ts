import type { Change } from "@paraph/core";
import { escapeInvisible, escapeInvisibleJson, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import { type Paint, plain, type Style } from "../terminal/output.ts";
import { wrapToWidth } from "../terminal/width.ts";

/** Formats all changes in full. Every line of a diff starts with a bar, which foreign text cannot forge. */
export function formatChanges(changes: readonly Change[], paint: Paint): string {
  return changes.map((change) => formatChange(change, paint)).join("\n");
}

export function formatChangeLine(change: Change): string {
  return `${change.kind} ${escapeInvisible(change.target)}${change.summary === undefined ? "" : `: ${escapeInvisible(change.summary)}`}`;
}

function formatChange(change: Change, paint: Paint): string {
  const head = wrapToWidth(formatChangeLine(change), paint.width && paint.width - 2).map(
    (line) => `  ${paint("bold", line)}`,
  );
  const diff = change.diff === undefined ? [] : formatDiff(change.diff, paint);
  const details = change.details === undefined ? [] : escapeInvisibleJson(change.details, 2).split("\n");
  return [...head, ...diff, ...details.map((line) => formatQuotedLine(line, paint))].join("\n");
}

function formatDiff(diff: string, paint: Paint): string[] {
  return escapeInvisibleLines(diff.replace(/\n$/, "")).map((line) =>
    formatQuotedLine(line, paint, pickDiffStyle(line)),
  );
}

function pickDiffStyle(line: string): Style {
  if (line.startsWith("+++") || line.startsWith("---")) return "bold";
  if (line.startsWith("@@")) return "cyan";
  if (line.startsWith("+")) return "green";
  return line.startsWith("-") ? "red" : plain;
}

/** Formats a line of foreign text behind a bar. A wrapped line continues behind a different bar. */
export function formatQuotedLine(line: string, paint: Paint, style: Style = plain): string {
  // The width of a tab in a terminal varies, up to eight columns, so four spaces replace each tab.
  const shown = paint.width === undefined ? line : line.replaceAll("\t", "    ");
  return wrapToWidth(shown, paint.width && paint.width - 4)
    .map((part, index) => `  ${paint("dim", index === 0 ? "│" : "┆")} ${paint(style, part)}`)
    .join("\n");
}
