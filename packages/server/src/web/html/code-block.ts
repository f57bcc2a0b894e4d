import { type Html, html, markInvisible } from "./html.ts";

/** Adjacent lines of one kind. The texts of all runs together are the whole text. */
export interface TextRun {
  readonly kind: "plain" | "head" | "hunk" | "add" | "del";
  readonly text: string;
}

const maxLines = 40;
const maxCharacters = 4_000;

/**
 * Renders foreign text as a block. [TRUST 6] Text beyond the limit is collapsed behind one click, unless `whole` is
 * true.
 */
export function renderCode(runs: readonly TextRun[], whole: boolean): Html {
  const [head, rest] = whole ? [runs, []] : splitRuns(runs);
  return html`<div class="code">${head.map(renderRun)}</div>${
    rest.length > 0 &&
    html`<details class="rest"><summary>${formatRemainder(rest)}</summary><div class="code">${rest.map(renderRun)}</div></details>`
  }`;
}

/** Returns a text as a single plain run. */
export function toPlainRuns(text: string): readonly TextRun[] {
  return [{ kind: "plain", text }];
}

function renderRun({ kind, text }: TextRun): Html {
  return html`<span class="${kind}">${markInvisible(text)}</span>`;
}

function splitRuns(runs: readonly TextRun[]): readonly [readonly TextRun[], readonly TextRun[]] {
  let lines = maxLines;
  let characters = maxCharacters;
  for (const [index, run] of runs.entries()) {
    const cut = findCut(run.text, lines, characters);
    if (cut < run.text.length) {
      const { kind, text } = run;
      const head = [...runs.slice(0, index), { kind, text: text.slice(0, cut) }];
      return [head, [{ kind, text: text.slice(cut) }, ...runs.slice(index + 1)]];
    }
    lines -= countLineFeeds(run.text);
    characters -= run.text.length;
  }
  return [runs, []];
}

/**
 * Returns the smaller of two indexes: the end of the given number of lines, and the end of the given number of
 * characters. The index is never inside a surrogate pair.
 */
function findCut(text: string, lines: number, characters: number): number {
  let end = 0;
  for (let line = 0; line < lines && end < text.length; line++) {
    const feed = text.indexOf("\n", end);
    end = feed === -1 ? text.length : feed + 1;
  }
  if (end <= characters) return end;
  const at = Math.max(0, characters);
  const splits = /[\ud800-\udbff]/.test(text.charAt(at - 1));
  return splits ? at + 1 : at;
}

function formatRemainder(runs: readonly TextRun[]): string {
  const lines = runs.reduce((sum, { text }) => sum + countLineFeeds(text), 0);
  if (lines > 1) return `Show the other ${formatCount(lines)} lines`;
  const characters = runs.reduce((sum, { text }) => sum + text.length, 0);
  return `Show the other ${formatCount(characters)} characters`;
}

function countLineFeeds(text: string): number {
  return text.split("\n").length - 1;
}

/** Formats a number of calls, such as `1 call` or `8 more calls`. */
export function formatCalls(calls: number, which = ""): string {
  return `${formatCount(calls)} ${which}${calls === 1 ? "call" : "calls"}`;
}

/** Formats a number with separators. */
export function formatCount(number: number): string {
  return number.toLocaleString("en-GB");
}
