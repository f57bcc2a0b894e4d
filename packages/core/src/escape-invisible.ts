/**
 * What a terminal or a browser would hide, obey or reorder: controls and ANSI, bidi marks, zero-width and other
 * ignorable characters, variation selectors, tags, private and unassigned ones, lone surrogates, and blanks that are
 * not a plain space.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** As many as stand together, but for what parts lines and columns; bounded, or a long run exhausts the matcher. */
const unseenRuns = /[[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]--[ \t\n]]{1,100}/gv;

/** A stretch of foreign text; `named`: it stands for characters that nobody would have seen. */
export interface TextSegment {
  readonly text: string;
  readonly named: boolean;
}

/** Foreign text on one line, every hidden character shown as `<U+202E>`. Nothing is dropped. */
export function escapeInvisible(text: string): string {
  return text.replace(unseen, (character) => (character === " " ? character : name(character)));
}

/** Foreign text of several lines: line feeds part it, tabs stay. Each line still has to be set apart from ours. */
export function escapeInvisibleLines(text: string): string[] {
  return text.split("\n").map((line) => line.split("\t").map(escapeInvisible).join("\t"));
}

/** The same as `visible`, with tabs and line feeds left alone, in stretches: for those who can paint what was named. */
export function splitInvisible(text: string): TextSegment[] {
  const stretches: TextSegment[] = [];
  let end = 0;
  for (const { 0: run, index } of text.matchAll(unseenRuns)) {
    if (index > end) stretches.push({ text: text.slice(end, index), named: false });
    stretches.push({ text: Array.from(run, name).join(""), named: true });
    end = index + run.length;
  }
  if (end < text.length) stretches.push({ text: text.slice(end), named: false });
  return stretches;
}

/** JSON that says the same and holds no character that could hide: they are written as JSON's own escapes. */
export function escapeInvisibleJson(value: unknown, indent?: number): string {
  // Line feeds between members are ours; inside strings JSON has escaped them already.
  return JSON.stringify(value, null, indent).replace(unseen, (character) =>
    character === " " || character === "\n" ? character : jsonEscape(character),
  );
}

function name(character: string): string {
  return `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`;
}

function jsonEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
