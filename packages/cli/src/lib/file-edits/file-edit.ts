import { CliError } from "../cli-error.ts";
import { type FileContent, type FileState, readFileState, resolveLinks } from "./disk.ts";

/** One place in a text, and what takes its place. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What this place is, for people: `mcpServers.github`. */
  readonly place: string;
  /** What people see of it, without secrets; all of it unless given. */
  readonly shown?: { readonly before: string; readonly after: string };
}

/** A file as it was found. */
export interface EditableFile {
  readonly path: string;
  readonly state: FileState;
  readonly text: string;
}

/** What a file is to become, and by which pieces; nothing has been written. */
export interface FileEdit {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileContent;
  readonly pieces: readonly Piece[];
  /** The text that the places of the pieces are in. */
  readonly text: string;
}

export async function openForEdit(path: string): Promise<EditableFile> {
  const real = await resolveLinks(path);
  const state = await readFileState(real);
  if (state.kind === "absent") return { path: real, state, text: "" };
  try {
    // Bytes that are no text would not come out as they went in; a byte order mark is part of the text here.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { path: real, state, text: decoder.decode(state.bytes) };
  } catch (error) {
    throw new CliError("file-unreadable", `\`${path}\` is not UTF-8: it is left as it is.`, { cause: error });
  }
}

/** `mode` is for a file that is new: one that exists keeps its own. */
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
