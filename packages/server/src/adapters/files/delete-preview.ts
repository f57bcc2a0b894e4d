import { CapabilityError, type Change, type Preview } from "@paraph/core";
import { difference } from "../text-difference.ts";
import { textOf } from "./content.ts";
import type { DeleteInput } from "./delete.ts";
import { demandThere, entryAt, type FileEntry, type FolderEntry, type Thing } from "./entry.ts";
import { factOf } from "./fact.ts";
import { leftFolders } from "./folders.ts";
import { holding } from "./holding.ts";
import { type Place, placeOf } from "./path.ts";
import { inFolder } from "./rooted.ts";
import type { Setting } from "./setting.ts";
import { counted, size } from "./words.ts";
import { mostKept } from "./write-apply.ts";

/** [P3] Opens for reading only. */
export async function previewDelete(setting: Setting, input: DeleteInput): Promise<Preview> {
  const place = placeOf(input.path);
  return inFolder(setting.root, place.folders, async (reached) => {
    const found = demandThere(await entryAt(reached, place, setting.maxBytes), place);
    demandDeletable(found, place, input);
    const change = found.kind === "file" ? fileGone(place, found) : folderGone(place, found);
    return { changes: [change, ...leftFolders(place, input.emptyFolders)], basis: factOf(found) };
  });
}

export function demandDeletable(found: Thing, place: Place, input: DeleteInput): void {
  if (input.sha256 !== undefined && (found.kind !== "file" || found.mark !== input.sha256)) {
    throw new CapabilityError(
      "permanent",
      "content-differs",
      `\`${place.path}\` is not the content to delete: it changed since. Look at it, then delete it without \`sha256\`.`,
    );
  }
  if (found.kind === "folder" && found.held.length > 0 && !input.recursive) {
    throw new CapabilityError(
      "permanent",
      "folder-not-empty",
      `\`${place.path}\` holds ${counted(found.held.length, "thing")}: send \`recursive: true\` to delete them too.`,
    );
  }
}

/** Whether the content fits into the output, from where undo takes it. */
export function isKept(found: Thing): found is FileEntry & { readonly content: Buffer } {
  return found.kind === "file" && found.content !== undefined && found.bytes <= mostKept;
}

const mostShown = 64 * 1024;

function fileGone({ path }: Place, found: FileEntry): Change {
  const way = isKept(found) ? "undo writes its content back" : "too large to keep, cannot be undone";
  const details = { bytes: found.bytes, mode: found.mode.toString(8), undo: isKept(found) };
  const text = found.content && textOf(found.content);
  if (text === undefined) {
    const kind = found.content ? "binary file" : "file";
    return {
      kind: "delete",
      target: path,
      summary: `Deleted ${kind}, ${size(found.bytes)}: ${way}`,
      details,
    };
  }
  const beginning = beginningOf(text);
  const part = beginning === text ? "" : `, of which the first ${beginning.length} characters are shown`;
  return {
    kind: "delete",
    target: path,
    summary: `Deleted file, ${size(found.bytes)}${part}: ${way}`,
    diff: difference(path, beginning, undefined),
    details: { ...details, shownWhole: beginning === text },
  };
}

/** Whole lines where there are any, and never half a character. */
function beginningOf(text: string): string {
  if (text.length <= mostShown) return text;
  const cut = text.slice(0, mostShown);
  const lines = cut.slice(0, cut.lastIndexOf("\n") + 1);
  return lines !== "" ? lines : cut.isWellFormed() ? cut : cut.slice(0, -1);
}

function folderGone({ path }: Place, found: FolderEntry): Change {
  const { words, details } = holding(found);
  return {
    kind: "delete",
    target: path,
    summary: `Deleted folder, ${words}: cannot be undone`,
    details: { ...details, undo: false },
  };
}
