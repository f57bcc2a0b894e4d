import { CapabilityError, type Change, type Preview } from "@paraph/core";
import { formatCount } from "../../format-text.ts";
import { formatUnifiedDiff } from "../../unified-diff.ts";
import type { FilesContext } from "../context.ts";
import { decodeUtf8 } from "../entries/content.ts";
import { describeFolder } from "../entries/describe-folder.ts";
import {
  type ExistingEntry,
  type FileEntry,
  type FolderEntry,
  readEntry,
  requireExisting,
} from "../entries/entry.ts";
import { toEntryBasis } from "../entries/entry-basis.ts";
import { formatSize } from "../format.ts";
import { withOpenFolder } from "../paths/open-folder.ts";
import { listEmptiedFolders } from "../paths/parent-folders.ts";
import { type FilePath, parseFilePath } from "../paths/path.ts";
import type { DeleteInput } from "./delete.ts";
import { maxPreviousBytes } from "./write-apply.ts";

/** [P3] Previews a deletion. Opens files for reading only. */
export async function previewDelete(filesContext: FilesContext, input: DeleteInput): Promise<Preview> {
  const place = parseFilePath(input.path);
  return withOpenFolder(filesContext.root, place.folders, async (reached) => {
    const found = requireExisting(await readEntry(reached, place, filesContext.maxBytes), place);
    requireDeletable(found, place, input);
    const change = found.kind === "file" ? toFileDeletion(place, found) : toFolderDeletion(place, found);
    return {
      changes: [change, ...listEmptiedFolders(place, input.emptyFolders)],
      basis: toEntryBasis(found),
    };
  });
}

export function requireDeletable(found: ExistingEntry, place: FilePath, input: DeleteInput): void {
  if (input.sha256 !== undefined && (found.kind !== "file" || found.mark !== input.sha256)) {
    throw new CapabilityError(
      "permanent",
      "content-differs",
      `The content of \`${place.path}\` does not match \`sha256\`. Review it, then send the call without \`sha256\`.`,
    );
  }
  if (found.kind === "folder" && found.contents.length > 0 && !input.recursive) {
    throw new CapabilityError(
      "permanent",
      "folder-not-empty",
      `\`${place.path}\` contains ${formatCount(found.contents.length, "item")}. To delete them too, send \`recursive: true\`.`,
    );
  }
}

/** Whether the content fits into the output. The undo reads the content from the output. */
export function isRestorable(found: ExistingEntry): found is FileEntry & { readonly content: Buffer } {
  return found.kind === "file" && found.content !== undefined && found.bytes <= maxPreviousBytes;
}

const maxDiffLength = 64 * 1024;

function toFileDeletion({ path }: FilePath, found: FileEntry): Change {
  const way = isRestorable(found)
    ? "undo writes its content back"
    : "cannot be undone, because it is too large to keep";
  const details = { bytes: found.bytes, mode: found.mode.toString(8), undo: isRestorable(found) };
  const text = found.content && decodeUtf8(found.content);
  if (text === undefined) {
    const kind = found.content ? "binary file" : "file";
    return {
      kind: "delete",
      target: path,
      summary: `Deleted ${kind}, ${formatSize(found.bytes)}: ${way}`,
      details,
    };
  }
  const beginning = truncateText(text);
  const part = beginning === text ? "" : `, of which the first ${beginning.length} characters are shown`;
  return {
    kind: "delete",
    target: path,
    summary: `Deleted file, ${formatSize(found.bytes)}${part}: ${way}`,
    diff: formatUnifiedDiff(path, beginning, undefined),
    details: { ...details, shownWhole: beginning === text },
  };
}

/** Cuts a text after a whole line if possible, and never inside a character. */
function truncateText(text: string): string {
  if (text.length <= maxDiffLength) return text;
  const cut = text.slice(0, maxDiffLength);
  const lines = cut.slice(0, cut.lastIndexOf("\n") + 1);
  return lines !== "" ? lines : cut.isWellFormed() ? cut : cut.slice(0, -1);
}

function toFolderDeletion({ path }: FilePath, found: FolderEntry): Change {
  const { words, details } = describeFolder(found);
  return {
    kind: "delete",
    target: path,
    summary: `Deleted folder, ${words}; cannot be undone`,
    details: { ...details, undo: false },
  };
}
