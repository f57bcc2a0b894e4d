/**
 * What a terminal would hide, obey or reorder: controls and ANSI, bidi marks, zero-width and other ignorable
 * characters, tags, private and unassigned ones, lone surrogates, and blanks that are not a plain space.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Foreign text on one line, every hidden character shown as `<U+202E>`. Nothing is dropped. */
export function visible(text: string): string {
  return text.replace(unseen, (character) => (character === " " ? character : named(character)));
}

/** Foreign text of several lines: line feeds part it, tabs stay. Each line still has to be set apart from ours. */
export function visibleLines(text: string): string[] {
  return text.split("\n").map((line) => line.split("\t").map(visible).join("\t"));
}

/** JSON that says the same and holds no character a terminal could hide: they are written as JSON's own escapes. */
export function visibleJson(value: unknown, indent?: number): string {
  // Line feeds between members are ours; inside strings JSON has escaped them already.
  return JSON.stringify(value, null, indent).replace(unseen, (character) =>
    character === " " || character === "\n" ? character : jsonEscape(character),
  );
}

function named(character: string): string {
  return `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`;
}

function jsonEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
