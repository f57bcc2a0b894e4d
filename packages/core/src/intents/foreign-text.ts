/** A part of the requester's words: their own words, or a text that they quote. */
export type WordsPart =
  | { readonly kind: "own"; readonly text: string }
  | { readonly kind: "quoted"; readonly text: string };

/** The opening quotation marks with the marks that close them. The longest comes first. */
const quotationMarks: readonly (readonly [string, readonly string[]])[] = [
  ["```", ["```"]],
  ['"', ['"']],
  ["“", ["”", "“"]],
  ["„", ["“", "”"]],
  ["«", ["»"]],
  ["»", ["«"]],
  ["‘", ["’"]],
  ["‚", ["‘"]],
  ["`", ["`"]],
  ["'", ["'"]],
];

/**
 * [TRUST 35] Separates the requester's own words from texts of others. A quoted text can only become a value as a
 * whole. Text from a forwarded or quoted message is dropped: nothing in it is a request or a value. Returns undefined
 * if a quotation mark is not closed, because then the end of the foreign text is not known.
 */
export function separateForeignText(words: string): readonly WordsPart[] | undefined {
  const parts: WordsPart[] = [];
  let own = "";
  for (let at = 0; at < words.length; ) {
    const skipped = isLineStart(words, at) ? measureForwarded(words, at) : 0;
    if (skipped > 0) {
      at += skipped;
      continue;
    }
    const mark = findOpeningMark(words, at);
    if (!mark) {
      own += words[at];
      at += 1;
      continue;
    }
    const [open, closers] = mark;
    const end = findClosingMark(words, at + open.length, closers);
    if (!end) return undefined;
    parts.push({ kind: "own", text: own }, { kind: "quoted", text: words.slice(at + open.length, end.at) });
    own = "";
    at = end.at + end.length;
  }
  parts.push({ kind: "own", text: own });
  return parts.filter(({ kind, text }) => kind === "quoted" || text.trim() !== "");
}

/** An apostrophe opens a quotation only at the beginning of a word, so that `don't` is one word. */
function findOpeningMark(text: string, at: number) {
  const found = quotationMarks.find(([open]) => text.startsWith(open, at));
  const isApostrophe = found?.[0] === "'" || found?.[0] === "‘";
  return found && isApostrophe && /[\p{L}\p{N}]/u.test(text[at - 1] ?? "") ? undefined : found;
}

/** A closing mark counts only if no letter follows it, so that the apostrophe in `'don't'` does not close. */
function findClosingMark(text: string, from: number, closers: readonly string[]) {
  for (let at = from; at < text.length; at += 1) {
    const closer = closers.find((one) => text.startsWith(one, at));
    if (closer !== undefined && !/[\p{L}\p{N}]/u.test(text[at + closer.length] ?? ""))
      return { at, length: closer.length };
  }
  return undefined;
}

/** The first lines of forwarded or quoted messages, in the words of common mail programs. */
const forwardedStart = [
  /^[-_\s]{2,}(?:forwarded message|original message|weitergeleitete nachricht|ursprüngliche nachricht|mensaje reenviado|mensaje original)/iu,
  /^begin forwarded message|^anfang der weitergeleiteten/iu,
  /^on .{4,200} wrote:\s*$/iu,
  /^am .{4,200} schrieb.{0,200}:\s*$/iu,
  /^el .{4,200} escribió:\s*$/iu,
  /^(?:from|von|de):\s.*(?:@|<)/iu,
];

function isLineStart(words: string, at: number): boolean {
  return at === 0 || words[at - 1] === "\n";
}

/** Returns the length of the foreign text that begins with this line: a line after `>`, or the rest of the words. */
function measureForwarded(words: string, at: number): number {
  const end = words.indexOf("\n", at);
  const line = words.slice(at, end < 0 ? words.length : end).trim();
  if (line.startsWith(">")) return (end < 0 ? words.length : end) - at;
  return forwardedStart.some((pattern) => pattern.test(line)) ? words.length - at : 0;
}
