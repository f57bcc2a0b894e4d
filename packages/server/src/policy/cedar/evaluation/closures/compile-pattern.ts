import { UnsupportedExpression } from "./cedar-value.ts";

/**
 * Compiles the pattern of `like`, in which a wildcard matches any text. Each part between wildcards is searched once,
 * from left to right, so a pattern with many wildcards cannot take exponential time, as a regular expression could.
 */
export function compilePattern(pattern: unknown): (text: string) => boolean {
  const [first = "", ...others] = splitAtWildcards(pattern);
  const last = others.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
      return false;
    const end = text.length - last.length;
    let at = first.length;
    for (const part of others) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= end;
  };
}

/** Returns the literal texts between the wildcards. There is one more text than wildcards. */
function splitAtWildcards(pattern: unknown): string[] {
  const parts = [""];
  for (const element of pattern as readonly unknown[]) {
    if (element === "Wildcard") parts.push("");
    else parts[parts.length - 1] += readLiteral(element);
  }
  return parts;
}

function readLiteral(element: unknown): string {
  const literal = typeof element === "object" && element !== null && "Literal" in element && element.Literal;
  if (typeof literal !== "string") throw new UnsupportedExpression("pattern");
  return literal;
}
