import { type Html, html, marked } from "./html.ts";

/** Neighbouring lines of one kind. Their texts, one after the other, are the whole text. */
export interface Run {
  readonly kind: "plain" | "head" | "hunk" | "add" | "del";
  readonly text: string;
}

const mostLines = 40;
const mostCharacters = 4_000;

/** Foreign text in a block of its own. [TRUST 6] What does not fit at a glance is one press away, unless `whole`. */
export function code(runs: readonly Run[], whole: boolean): Html {
  const [head, rest] = whole ? [runs, []] : parted(runs);
  return html`<div class="code">${head.map(runHtml)}</div>${
    rest.length > 0 &&
    html`<details class="rest"><summary>${measureOf(rest)}</summary><div class="code">${rest.map(runHtml)}</div></details>`
  }`;
}

export function plain(text: string): readonly Run[] {
  return [{ kind: "plain", text }];
}

function runHtml({ kind, text }: Run): Html {
  return html`<span class="${kind}">${marked(text)}</span>`;
}

function parted(runs: readonly Run[]): readonly [readonly Run[], readonly Run[]] {
  let lines = mostLines;
  let characters = mostCharacters;
  for (const [index, run] of runs.entries()) {
    const cut = cutOf(run.text, lines, characters);
    if (cut < run.text.length) {
      const { kind, text } = run;
      const head = [...runs.slice(0, index), { kind, text: text.slice(0, cut) }];
      return [head, [{ kind, text: text.slice(cut) }, ...runs.slice(index + 1)]];
    }
    lines -= lineFeeds(run.text);
    characters -= run.text.length;
  }
  return [runs, []];
}

/** Where so many lines or characters end; not between the halves of one character. */
function cutOf(text: string, lines: number, characters: number): number {
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

function measureOf(runs: readonly Run[]): string {
  const lines = runs.reduce((sum, { text }) => sum + lineFeeds(text), 0);
  if (lines > 1) return `Show the other ${count(lines)} lines`;
  const characters = runs.reduce((sum, { text }) => sum + text.length, 0);
  return `Show the other ${count(characters)} characters`;
}

function lineFeeds(text: string): number {
  return text.split("\n").length - 1;
}

export function count(number: number): string {
  return number.toLocaleString("en-GB");
}
