import { CliError } from "../cli-error.ts";
import { type FileContent, type FileState, readFileState, resolveLinks } from "./disk.ts";

/** A range of a text and its replacement. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The name of the range for people: `mcpServers.github`. */
  readonly place: string;
  /** The text that people see, without secrets (default: the whole text). */
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
  /** The text that the ranges refer to. */
  readonly text: string;
}

export async function openForEdit(path: string): Promise<EditableFile> {
  const real = await resolveLinks(path);
  const state = await readFileState(real);
  if (state.kind === "absent") return { path: real, state, text: "" };
  try {
    // Invalid UTF-8 would not survive an edit, so it is rejected. A byte order mark is kept as part of the text.
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
