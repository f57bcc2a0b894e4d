import { CapabilityError, type Change, type Preview } from "@paraph/core";
import { formatUnifiedDiff } from "../../unified-diff.ts";
import type { FilesContext } from "../context.ts";
import { decodeContent, decodeUtf8, hashBytes } from "../entries/content.ts";
import { absentFile, type ExistingFile, type FileAtPath, readFileAtPath } from "../entries/read-file.ts";
import { toWriteBasis } from "../entries/write-basis.ts";
import { formatSize } from "../format.ts";
import { type ReachedFolder, withOpenFolder } from "../paths/open-folder.ts";
import { listNewFolders, requireFolders } from "../paths/parent-folders.ts";
import { type FilePath, parseFilePath } from "../paths/path.ts";
import type { WriteInput } from "./write.ts";

/** [P3] Previews a write and opens files for reading only. */
export async function previewWrite(filesContext: FilesContext, input: WriteInput): Promise<Preview> {
  const place = parseFilePath(input.path);
  const content = decodeContent(input, filesContext.maxBytes);
  return withOpenFolder(filesContext.root, place.folders, async (reached) => {
    requireFolders(reached, place, input.createFolders);
    const found = await readForWrite(reached, place, filesContext.maxBytes, input);
    const change =
      found.kind === "absent" ? toCreation(place, content) : toReplacement(place, found, content);
    return { changes: [...listNewFolders(reached, place), change], basis: toWriteBasis(found) };
  });
}

/**
 * Reads the file to replace. It rejects a file that differs from `replaces`. It also rejects a read-only file, although
 * the folder's permissions would allow the replacement.
 */
export async function readForWrite(
  reached: ReachedFolder,
  place: FilePath,
  maxBytes: number,
  input: Pick<WriteInput, "replaces">,
): Promise<FileAtPath> {
  const found =
    reached.missing.length > 0
      ? absentFile
      : await readFileAtPath(reached.folder, place.name, place.path, maxBytes);
  requireReplaceable(found, place, input);
  if (found.kind === "file" && (found.stat.mode & 0o222) === 0) {
    throw new CapabilityError(
      "permanent",
      "read-only",
      `\`${place.path}\` is read-only. Give the file write permission on the server first.`,
    );
  }
  return found;
}

/**
 * Rejects a file that differs from the version in `replaces`. An undo thus reverts only its own write and no later
 * change.
 */
function requireReplaceable(
  found: FileAtPath,
  { path }: FilePath,
  { replaces }: Pick<WriteInput, "replaces">,
): void {
  if (replaces === undefined || toWriteBasis(found).sha256 === replaces) return;
  throw new CapabilityError(
    "permanent",
    "content-differs",
    `The current content of \`${path}\` does not match \`replaces\`. Review the file, then send the call without \`replaces\`.`,
  );
}

function toCreation({ path }: FilePath, content: Buffer): Change {
  const details = { bytes: content.length, sha256: hashBytes(content) };
  const text = decodeUtf8(content);
  if (text === undefined)
    return {
      kind: "create",
      target: path,
      summary: `New binary file, ${formatSize(content.length)}`,
      details,
    };
  return {
    kind: "create",
    target: path,
    summary: `New file, ${formatSize(content.length)}`,
    diff: formatUnifiedDiff(path, undefined, text),
    details,
  };
}

function toReplacement({ path }: FilePath, found: ExistingFile, content: Buffer): Change {
  const details = {
    bytes: content.length,
    sha256: hashBytes(content),
    previous: { bytes: found.content.length, sha256: found.sha256 },
  };
  if (found.sha256 === details.sha256) {
    return {
      kind: "update",
      target: path,
      summary: "Unchanged: the file already has this content",
      details: { ...details, unchanged: true },
    };
  }
  const sizes = `${formatSize(found.content.length)} → ${formatSize(content.length)}`;
  const [before, after] = [decodeUtf8(found.content), decodeUtf8(content)];
  if (before === undefined || after === undefined) {
    const hashes = `SHA-256 ${found.sha256} → ${details.sha256}`;
    return { kind: "update", target: path, summary: `Replaced, binary: ${sizes}, ${hashes}`, details };
  }
  return {
    kind: "update",
    target: path,
    summary: `Changed: ${sizes}`,
    diff: formatUnifiedDiff(path, before, after),
    details,
  };
}
