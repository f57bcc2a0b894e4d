/** Words of previews and messages, for people. */

export function formatCount(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** A name within one line: what breaks a line, steers a terminal or turns the writing around is shown as its code. */
export function formatName(name: string): string {
  return `\`${escapeControls(name)}\``;
}

export function escapeControls(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** A commit as people write it. */
export function shortenId(oid: string): string {
  return oid.slice(0, 10);
}

/** What git puts out, as text that can be kept: bytes that are no UTF-8 are shown as such, and so is NUL. */
export function decodeOutput(bytes: Buffer): string {
  return bytes.toString("utf8").replaceAll("\0", "\ufffd");
}
