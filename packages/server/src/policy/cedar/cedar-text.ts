/** A string as Cedar writes it: its escapes are not those of JSON. */
export function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

/** A pattern for `like`: stars in the parts stand for themselves, one that matches anything is between any two parts. */
export function pattern(...parts: readonly string[]): string {
  return `"${parts.map((part) => escaped(part).replaceAll("*", "\\*")).join("*")}"`;
}

export function entity(type: string, id: string): string {
  return `${type}::${quoted(id)}`;
}

/** `.name` where Cedar can read that, `["any name"]` elsewhere. */
export function attribute(name: string): string {
  return isIdentifier(name) ? `.${name}` : `[${quoted(name)}]`;
}

/** The name after `has`. */
export function attributeName(name: string): string {
  return isIdentifier(name) ? name : quoted(name);
}

const words = ["true", "false", "if", "then", "else", "in", "is", "like", "has"];

function isIdentifier(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !words.includes(name);
}

function escaped(text: string): string {
  return text.replaceAll(/["\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    /["\\]/.test(character) ? `\\${character}` : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
