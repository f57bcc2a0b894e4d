/** Returns whether a text contains each of the words. */
export function matchesWords(words: string, text: string): boolean {
  const searched = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
