/** A configuration file, for messages that name the place of a fault. */
export interface ConfigSource {
  /** The file name that people know, such as `paraph.config.ts`. */
  readonly file: string;
  readonly text: string;
}

/**
 * Returns the line of a key. It searches for each key of the path after the position of the previous key. The
 * configuration is code, so the result is a best effort. It is undefined if the first key is not written out in the
 * file.
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
    if (typeof key !== "string") continue;
    const offset = text.slice(at).search(keyPattern(key));
    if (offset < 0) break;
    found = at + offset;
    at = found + key.length;
  }
  return found === undefined ? undefined : text.slice(0, found).split("\n").length;
}

/** Matches `key:`, `"key":` or the short form `{ key, … }`. */
function keyPattern(key: string): RegExp {
  const name = key.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
  return new RegExp(`(?<![\\w$.-])["']?${name}["']?(?=\\s*:)|(?<=[{,]\\s*)${name}(?=\\s*[,}])`);
}

/** Replaces comments by blanks of the same length, and leaves quoted text unchanged. */
function withoutComments(source: string): string {
  return source.replaceAll(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (whole, quoted: string | undefined) => quoted ?? whole.replaceAll(/[^\n]/g, " "),
  );
}
