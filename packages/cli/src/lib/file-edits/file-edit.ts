import { CliError } from "../cli-error.ts";
import { type FileContent, type FileState, readFileState, resolveLinks } from "./disk.ts";

/** A range of a text and its replacement. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** A human-readable name of the range, for example `mcpServers.github`. */
  readonly place: string;
  /** The old and the new text without secrets, as people see them. If unset, people see both texts in full. */
  readonly shown?: { readonly before: string; readonly after: string };
}

/** A file as it was read. */
export interface EditableFile {
  readonly path: string;
  readonly state: FileState;
  readonly text: string;
}

/** The planned edit of a file. Nothing is written yet. */
export interface FileEdit {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileContent;
  readonly pieces: readonly Piece[];
  /** The text of the file before the edit. The ranges in `pieces` refer to it. */
  readonly text: string;
}

export async function openForEdit(path: string): Promise<EditableFile> {
  const real = await resolveLinks(path);
  const state = await readFileState(real);
  if (state.kind === "absent") return { path: real, state, text: "" };
  try {
    // The decoder rejects invalid UTF-8, because an edit would change the invalid bytes. The decoder keeps a byte order
    // mark as part of the text.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { path: real, state, text: decoder.decode(state.bytes) };
  } catch (error) {
    throw new CliError(
      "file-unreadable",
      `\`${path}\` is not valid UTF-8, so Paraph did not change it. Convert the file to UTF-8, then run the command again.`,
      {
        cause: error,
      },
    );
  }
}

/** Builds the edit. `mode` applies only to a new file. */
export function buildFileEdit(
  { path, state, text }: EditableFile,
  pieces: readonly Piece[],
  mode = 0o600,
): FileEdit {
  const ordered = pieces.toSorted((a, b) => a.start - b.start);
  let result = "";
  let at = 0;
  for (const { start, end, text: replacement } of ordered) {
    if (start < at) throw new Error("Two edits of one file overlap.");
    result += text.slice(at, start) + replacement;
    at = end;
  }
  const bytes = Buffer.from(result + text.slice(at));
  const after: FileContent = state.kind === "file" ? { ...state, bytes } : { kind: "file", bytes, mode };
  return { path, before: state, after, pieces: ordered, text };
}
