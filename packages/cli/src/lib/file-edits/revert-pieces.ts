import { type FileContent, readFileState } from "./disk.ts";
import type { FileRecord } from "./journal.ts";

/**
 * Reverts Paraph's changes in a file that another program has changed since the edit, and keeps the rest. Returns
 * undefined if the result is ambiguous. The result is unambiguous only if each piece occurs in the file exactly as
 * often as the edit wrote it.
 */
export async function revertPieces({ path, before, pieces }: FileRecord): Promise<FileContent | undefined> {
  const now = await readFileState(path);
  if (now.kind === "absent" || before.kind === "absent") return undefined;
  const text = now.bytes.toString();
  if (!Buffer.from(text).equals(now.bytes)) return undefined;
  const places = pieces.map(({ after }) => after);
  // If the file contains none of the edited pieces, an interrupted undo may have already reverted them.
  if (places.every((after) => !text.includes(after))) return isReverted(text, pieces) ? now : undefined;
  let rest = text;
  let result = "";
  const isUnclear = places.some(
    (after) => after === "" || countOccurrences(after, text) !== countEqual(after, places),
  );
  if (isUnclear) return undefined;
  for (const { before: original, after } of sortByPosition(pieces, text)) {
    const at = rest.indexOf(after);
    if (at < 0) return undefined;
    result += rest.slice(0, at) + original;
    rest = rest.slice(at + after.length);
  }
  return { ...now, bytes: Buffer.from(result + rest) };
}

function isReverted(text: string, pieces: FileRecord["pieces"]): boolean {
  return pieces.every(({ before }) => before !== "" && text.includes(before));
}

/**
 * Sorts the pieces by their position in the file, because a client may have reordered the members. Equal pieces keep
 * the order in which they were written.
 */
function sortByPosition(pieces: FileRecord["pieces"], text: string): FileRecord["pieces"] {
  const placed = pieces.map((piece, index) => {
    const nth = countEqual(
      piece.after,
      pieces.slice(0, index).map(({ after }) => after),
    );
    return { piece, at: findNth(piece.after, nth, text) };
  });
  return placed.sort((a, b) => a.at - b.at).map(({ piece }) => piece);
}

function findNth(part: string, nth: number, text: string): number {
  let at = text.indexOf(part);
  for (let count = 0; count < nth; count++) at = text.indexOf(part, at + part.length);
  return at;
}

function countOccurrences(part: string, text: string): number {
  return text.split(part).length - 1;
}

function countEqual(part: string, parts: readonly string[]): number {
  return parts.filter((each) => each === part).length;
}
