export function formatSize(bytes: number): string {
  return formatCount(bytes, "byte");
}

export function formatCount(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/**
 * Formats a path on one line. Characters that break a line, control a terminal or reverse the text direction appear as
 * codes.
 */
export function formatPath(path: string): string {
  const code = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`;
  return `\`${path.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, code)}\``;
}
