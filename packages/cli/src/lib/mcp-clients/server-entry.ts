import type { Piece } from "../file-edits/index.ts";

/** A text value in an entry, with its place. */
export interface EntryText {
  /** The names and numbers that lead to it: `env`, `TOKEN`. */
  readonly at: readonly string[];
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** One server in a client's file, whatever that file's format. */
export interface ServerEntry {
  readonly name: string;
  /** What people are told it is: `mcpServers.github`. */
  readonly place: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly texts: readonly EntryText[];
  /** The folder its server is started in, where the file says so. */
  readonly project?: string;
  /** The pieces that put other fields in the place of some; the rest of it stays as it is written. */
  readonly replaceFields: (
    fields: Readonly<Record<string, unknown>>,
    isDropped: (field: string) => boolean,
    isHidden: (text: EntryText) => boolean,
  ) => Piece[];
}

export type EntriesResult =
  | { readonly kind: "entries"; readonly entries: readonly ServerEntry[] }
  /** It cannot be read with certainty: nobody changes it. */
  | { readonly kind: "unclear"; readonly message: string };

export const hiddenMark = "•••";

/** What people see of a part of a text: without what is hidden in it. */
export function maskPart(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  hiddenTexts: readonly EntryText[],
): string {
  let shown = "";
  let at = start;
  for (const place of hiddenTexts.toSorted((a, b) => a.start - b.start)) {
    if (place.start < at || place.end > end) continue;
    shown += `${text.slice(at, place.start)}"${hiddenMark}"`;
    at = place.end;
  }
  return shown + text.slice(at, end);
}
