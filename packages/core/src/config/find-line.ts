/** A configuration file, for messages that name the place of a fault. */
export interface ConfigSource {
  /** The file name that people know, such as `paraph.config.ts`. */
  readonly file: string;
  readonly text: string;
}

/**
 * Returns the line of a key. It searches for each key of the path after the position of the previous key. A number is
 * an element of the array that follows the previous key. The configuration is code, so the result is a best effort. It
 * is undefined if the first key is not written out in the file.
 */
export function findLine(source: string, path: readonly PropertyKey[]): number | undefined {
  const text = withoutComments(source);
  const begin = Math.max(text.search(/export\s+default\b|\bdefineConfig\s*\(/), 0);
  return lineFrom(text, begin, path) ?? lineFrom(text, 0, path);
}

function lineFrom(text: string, begin: number, path: readonly PropertyKey[]): number | undefined {
  let at = begin;
  let found: number | undefined;
  for (const key of path) {
    if (typeof key === "number") {
      found = findElement(text, at, key) ?? found;
      at = found ?? at;
    } else if (typeof key === "string") {
      const offset = text.slice(at).search(keyPattern(key));
      if (offset < 0) break;
      found = at + offset;
      at = found + key.length;
    }
  }
  return found === undefined ? undefined : text.slice(0, found).split("\n").length;
}

/** Matches `key:`, `"key":` or the short form `{ key, … }`. */
function keyPattern(key: string): RegExp {
  const name = key.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
  return new RegExp(`(?<![\\w$.-])["']?${name}["']?(?=\\s*:)|(?<=[{,]\\s*)${name}(?=\\s*[,}])`);
}

/** Returns the position of an element of the array that starts here, after the end of a key. */
function findElement(text: string, from: number, index: number): number | undefined {
  const open = /^["']?\s*:?\s*\[/.exec(text.slice(from));
  if (!open) return undefined;
  const begin = from + open[0].length;
  let [depth, element, at] = [0, 0, begin];
  for (const { 0: token, index: offset } of text.slice(begin).matchAll(tokenPattern)) {
    if (element === index) break;
    if (/^[[{(]$/.test(token)) depth += 1;
    else if (/^[\]})]$/.test(token)) depth -= 1;
    if (depth < 0) return undefined;
    if (token === "," && depth === 0) [element, at] = [element + 1, begin + offset + 1];
  }
  return element === index ? at + text.slice(at).search(/\S/) : undefined;
}

const quotedPattern = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/;
const tokenPattern = new RegExp(`${quotedPattern.source}|[\\[\\]{}(),]`, "g");
const commentPattern = new RegExp(`(${quotedPattern.source})|//[^\\n]*|/\\*[\\s\\S]*?\\*/`, "g");

/** Replaces comments by blanks of the same length, and leaves quoted text unchanged. */
function withoutComments(source: string): string {
  return source.replaceAll(
    commentPattern,
    (whole, quoted: string | undefined) => quoted ?? whole.replaceAll(/[^\n]/g, " "),
  );
}
