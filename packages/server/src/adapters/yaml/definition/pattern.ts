import { RE2JS } from "re2js";

export interface Pattern {
  /** Whether it is the whole of the text. */
  matchesWhole(text: string): boolean;
  /** What its first group caught, or all of it where it has none, where it is first found. */
  findFirst(text: string): string | undefined;
}

/** [TRUST 24] In time linear to the text. Undefined where RE2 cannot run it, or it would need too much room. */
export function compilePattern(text: string): Pattern | undefined {
  try {
    const compiled = RE2JS.compile(text, RE2JS.MULTILINE);
    if (compiled.programSize() > maxStates) return undefined;
    // `^` and `$` are the ends of the text here, of a line there.
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
