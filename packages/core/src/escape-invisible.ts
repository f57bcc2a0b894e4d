/**
 * The characters that a terminal or a browser would hide, obey or reorder. They include control characters, ANSI
 * escapes, bidi marks, zero-width and other ignorable characters, variation selectors and tags. They also include
 * private and unassigned characters, lone surrogates, and blanks other than a plain space.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * A run of `unseen` characters other than spaces, tabs and line feeds. The length is bounded, because a long run
 * exhausts the matcher.
 */
const unseenRuns = /[[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]--[ \t\n]]{1,100}/gv;

/** A part of a foreign text. `named` is true if the part shows the names of invisible characters. */
export interface TextSegment {
  readonly text: string;
  readonly named: boolean;
}

/** Returns foreign text on one line, with every hidden character shown as `<U+202E>`. It drops nothing. */
export function escapeInvisible(text: string): string {
  return text.replace(unseen, (character) => (character === " " ? character : name(character)));
}

/**
 * Returns the lines of foreign text with every hidden character shown. Tabs stay. The caller must still separate these
 * lines visibly from the caller's own text.
 */
export function escapeInvisibleLines(text: string): string[] {
  return text.split("\n").map((line) => line.split("\t").map(escapeInvisible).join("\t"));
}

/**
 * Splits foreign text into segments for callers that highlight the hidden characters. It shows these characters as
 * `escapeInvisible` does. Tabs and line feeds stay.
 */
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

/** Returns whether foreign text contains hidden characters, other than spaces, tabs and line feeds. */
export function hasInvisible(text: string): boolean {
  return splitInvisible(text).some(({ named }) => named);
}

/**
 * Returns the value as JSON without hidden characters. JSON's own escapes replace them, so the parsed value is equal.
 */
export function escapeInvisibleJson(value: unknown, indent?: number): string {
  // Keeps the remaining line feeds, because `JSON.stringify` writes them between members. `JSON.stringify` has already
  // escaped the line feeds inside strings.
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
