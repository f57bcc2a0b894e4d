export function formatCount(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/**
 * Formats a path or a name on one line. Characters that break a line, control a terminal or reverse the text direction
 * appear as codes.
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
