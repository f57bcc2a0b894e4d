import { stripVTControlCharacters } from "node:util";
import { eastAsianWidth } from "get-east-asian-width";

const colourStart = "\u001b";
const colourOrCharacter = new RegExp(`${colourStart}\\[[\\d;]*m|[\\s\\S]`, "gu");
const combiningMark = /\p{M}/u;

/** Returns the number of columns that a text takes in a terminal. Colour codes take no columns. */
export function measureWidth(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += countColumns(character);
  return width;
}

export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - measureWidth(text)));
}

/**
 * Truncates a text that contains no colours, and adds an ellipsis. Use it only in lists, where another command shows
 * the full text.
 */
export function truncateToWidth(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  let cut = "";
  let used = 0;
  for (const character of text) {
    used += countColumns(character);
    if (used > width - 1) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}

/**
 * Wraps a line to the width. Without wrapping, a terminal would continue the line at the left edge, where foreign text
 * could be mistaken for Paraph's own. The function breaks at a nearby space, drops no text, and counts no columns for
 * colours.
 */
export function wrapToWidth(line: string, width: number | undefined): string[] {
  if (width === undefined || measureWidth(line) <= width) return [line];
  const lines: string[] = [];
  let here = "";
  let used = 0;
  for (const [piece] of line.matchAll(colourOrCharacter)) {
    const columns = piece.startsWith(colourStart) ? 0 : countColumns(piece);
    if (used + columns > Math.max(width, 8)) {
      const space = here.lastIndexOf(" ") + 1;
      const cut = space > here.length * 0.6 ? space : here.length;
      lines.push(here.slice(0, cut));
      here = here.slice(cut);
      used = measureWidth(here);
    }
    here += piece;
    used += columns;
  }
  return [...lines, here];
}

/**
 * Wraps the lines of a message at spaces. It leaves indented lines as they are, because they hold commands, links and
 * other text that readers copy, and it breaks no word.
 */
export function wrapProse(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split("\n")
    .map((line) => wrapProseLine(line, width))
    .join("\n");
}

function wrapProseLine(line: string, width: number): string {
  const shown = stripVTControlCharacters(line);
  if (/^\s/.test(shown) || measureWidth(line) <= width) return line;
  const indent = /^[!?✔✘] /.test(shown) ? "  " : "";
  const [first = "", ...words] = line.split(" ");
  const lines = [first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (measureWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(indent + word);
  }
  return lines.join("\n");
}

function countColumns(character: string): number {
  return combiningMark.test(character) ? 0 : eastAsianWidth(character.codePointAt(0)!);
}
