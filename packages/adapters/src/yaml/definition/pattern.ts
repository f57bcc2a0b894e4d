import { RE2JS } from "re2js";

export interface Pattern {
  /** Whether the pattern matches the whole text. */
  matchesWhole(text: string): boolean;
  /** Returns the first group of the first match, or the whole match if there is no group. */
  findFirst(text: string): string | undefined;
}

/**
 * [TRUST 24] Compiles a pattern that matches in linear time. Returns undefined if RE2 does not support the pattern or
 * if the pattern is too large.
 */
export function compilePattern(text: string): Pattern | undefined {
  try {
    const compiled = RE2JS.compile(text, RE2JS.MULTILINE);
    if (compiled.programSize() > maxStates) return undefined;
    // Compiles the pattern without `MULTILINE`. `matchesWhole` compares the whole text, so `^` and `$` must match only
    // at the ends of the text and not at each line.
    const entire = RE2JS.compile(text);
    return {
      matchesWhole: (value) => entire.matches(value),
      findFirst: (value) => findFirstMatch(compiled, value),
    };
  } catch {
    return undefined;
  }
}

function findFirstMatch(compiled: RE2JS, text: string): string | undefined {
  const matcher = compiled.matcher(text);
  if (!matcher.find()) return undefined;
  return matcher.group(matcher.groupCount() > 0 ? 1 : 0) ?? undefined;
}

const maxStates = 500;
