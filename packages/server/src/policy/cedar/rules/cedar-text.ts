/** Quotes a string for Cedar, whose escapes differ from those of JSON. */
export function quoteCedar(text: string): string {
  return `"${escapeCedar(text)}"`;
}

/**
 * Formats a pattern for `like` from literal parts. A star inside a part matches only a star. Between two parts, the
 * pattern matches any text.
 */
export function formatPattern(...parts: readonly string[]): string {
  return `"${parts.map((part) => escapeCedar(part).replaceAll("*", "\\*")).join("*")}"`;
}

export function formatEntity(type: string, id: string): string {
  return `${type}::${quoteCedar(id)}`;
}

/** Formats an attribute access: `.name` for an identifier, and `["any name"]` otherwise. */
export function formatAttribute(name: string): string {
  return isIdentifier(name) ? `.${name}` : `[${quoteCedar(name)}]`;
}

/** Formats the name after `has`. */
export function formatAttributeName(name: string): string {
  return isIdentifier(name) ? name : quoteCedar(name);
}

const reservedWords = ["true", "false", "if", "then", "else", "in", "is", "like", "has"];

function isIdentifier(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !reservedWords.includes(name);
}

function escapeCedar(text: string): string {
  return text.replaceAll(/["\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    /["\\]/.test(character) ? `\\${character}` : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
