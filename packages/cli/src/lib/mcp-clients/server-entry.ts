import type { Piece } from "../file-edits/index.ts";

/** A text value in an entry, with its position. */
export interface EntryText {
  /** The keys and indexes that lead to the text, for example `env` and `TOKEN`. */
  readonly at: readonly string[];
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** One server in a client's file, in any format. */
export interface ServerEntry {
  readonly name: string;
  /** The name of the entry in messages to people, such as `mcpServers.github`. */
  readonly place: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly texts: readonly EntryText[];
  /** The folder in which the server is started, if the file specifies the folder. */
  readonly project?: string;
  /**
   * Builds the pieces of an edit that replace the dropped fields with new ones. The rest of the entry stays unchanged.
   */
  readonly replaceFields: (
    fields: Readonly<Record<string, unknown>>,
    isDropped: (field: string) => boolean,
    isHidden: (text: EntryText) => boolean,
  ) => Piece[];
}

export type EntriesResult =
  | { readonly kind: "entries"; readonly entries: readonly ServerEntry[] }
  /** The file cannot be parsed reliably, so it is not changed. */
  | { readonly kind: "unclear"; readonly message: string };

export const hiddenMark = "•••";

/** Returns the given range of a text, and masks the hidden texts in that range. */
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
