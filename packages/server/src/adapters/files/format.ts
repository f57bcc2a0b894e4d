/** Words of a preview's summaries, for people. */

export function formatSize(bytes: number): string {
  return formatCount(bytes, "byte");
}

export function formatCount(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** A path within one line: what breaks a line, steers a terminal or turns the writing around is shown as its code. */
export function formatPath(path: string): string {
  const code = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`;
  return `\`${path.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, code)}\``;
}
