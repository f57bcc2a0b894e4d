import { CapabilityError, type Change, type Preview } from "@paraph/core";
import { formatName } from "../../format-text.ts";
import type { FilesContext } from "../context.ts";
import { describeFolder } from "../entries/describe-folder.ts";
import { type ExistingEntry, readEntry, requireExisting, requireFreePath } from "../entries/entry.ts";
import { absentBasis, toEntryBasis } from "../entries/entry-basis.ts";
import { formatSize } from "../format.ts";
import { type ReachedFolder, withOpenFolder } from "../paths/open-folder.ts";
import { listEmptiedFolders, listNewFolders, requireFolders } from "../paths/parent-folders.ts";
import { type FilePath, isSameOrBelow, parseFilePath } from "../paths/path.ts";
import type { MoveInput } from "./move.ts";

/** [P3] Previews a move and opens files for reading only. */
export async function previewMove(filesContext: FilesContext, input: MoveInput): Promise<Preview> {
  const places = parseMovePaths(input);
  return withBothFolders(filesContext, places, async (source, target) => {
    const found = requireExisting(await readEntry(source, places.from, filesContext.maxBytes), places.from);
    requireFolders(target, places.to, input.createFolders);
    await requireFreePath(target, places.to);
    return {
      changes: [
        ...listNewFolders(target, places.to),
        toMoveChange(places, found),
        ...listEmptiedFolders(places.from, input.emptyFolders),
      ],
      basis: { from: toEntryBasis(found), to: absentBasis },
    };
  });
}

export interface MovePaths {
  readonly from: FilePath;
  readonly to: FilePath;
}

export function parseMovePaths(input: { readonly from: string; readonly to: string }): MovePaths {
  const places = { from: parseFilePath(input.from), to: parseFilePath(input.to) };
  if (isSameOrBelow(places.from, places.to)) {
    throw new CapabilityError(
      "permanent",
      "into-itself",
      `\`${places.to.path}\` is the same as \`${places.from.path}\` or inside it. Choose another destination.`,
    );
  }
  return places;
}

/** Keeps both folders open while the body runs. With `make`, it creates missing folders only for the destination. */
export function withBothFolders<T>(
  { root }: FilesContext,
  { from, to }: MovePaths,
  body: (source: ReachedFolder, target: ReachedFolder) => Promise<T>,
  make = false,
): Promise<T> {
  return withOpenFolder(root, from.folders, (source) =>
    withOpenFolder(root, to.folders, (target) => body(source, target), make),
  );
}

function toMoveChange({ from, to }: MovePaths, found: ExistingEntry): Change {
  const target = from.path;
  if (found.kind === "file") {
    const summary = `Moved to ${formatName(to.path)}: file, ${formatSize(found.bytes)}`;
    return { kind: "move", target, summary, details: { to: to.path, bytes: found.bytes } };
  }
  const { words, details } = describeFolder(found);
  return {
    kind: "move",
    target,
    summary: `Moved to ${formatName(to.path)}: folder, ${words}`,
    details: { to: to.path, ...details },
  };
}
