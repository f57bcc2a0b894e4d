export function formatCount(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/**
 * Formats a name on one line. Characters that break a line, control a terminal or reverse the text direction appear as
 * codes.
 */
export function formatName(name: string): string {
  return `\`${escapeControls(name)}\``;
}

export function escapeControls(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** Returns the short form of a commit id. */
export function shortenId(oid: string): string {
  return oid.slice(0, 10);
}

/**
 * Decodes git's output to text that PostgreSQL can store. A replacement character stands for NUL and for invalid UTF-8.
 */
export function decodeOutput(bytes: Buffer): string {
  return bytes.toString("utf8").replaceAll("\0", "\ufffd");
}
