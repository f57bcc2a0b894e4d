import { CapabilityError, type Change, type Preview } from "@paraph/core";
import { difference } from "../text-difference.ts";
import { basisOf } from "./basis.ts";
import { bytesOf, sha256Of, textOf } from "./content.ts";
import { demandFolders, newFolders } from "./folders.ts";
import { absent, type Found, type FoundFile, look } from "./look.ts";
import { type Place, placeOf } from "./path.ts";
import { inFolder, type Reached } from "./rooted.ts";
import type { Setting } from "./setting.ts";
import { size } from "./words.ts";
import type { WriteInput } from "./write.ts";

/** [P3] Opens for reading only. */
export async function previewWrite(setting: Setting, input: WriteInput): Promise<Preview> {
  const place = placeOf(input.path);
  const content = bytesOf(input, setting.maxBytes);
  return inFolder(setting.root, place.folders, async (reached) => {
    demandFolders(reached, place, input.createFolders);
    const found = await lookForWrite(reached, place, setting.maxBytes, input);
    const change = found.kind === "absent" ? creation(place, content) : replacement(place, found, content);
    return { changes: [...newFolders(reached, place), change], basis: basisOf(found) };
  });
}

/** A file that may not be written is refused although its folder would let us replace it, and so is one that is not to be. */
export async function lookForWrite(
  reached: Reached,
  place: Place,
  maxBytes: number,
  input: Pick<WriteInput, "replaces">,
): Promise<Found> {
  const found =
    reached.missing.length > 0 ? absent : await look(reached.folder, place.name, place.path, maxBytes);
  demandReplaceable(found, place, input);
  if (found.kind === "file" && (found.stat.mode & 0o222) === 0) {
    throw new CapabilityError(
      "permanent",
      "read-only",
      `\`${place.path}\` is read-only: give it write permission first.`,
    );
  }
  return found;
}

/** The way back leads over what was done, and never over what somebody did since. */
function demandReplaceable(found: Found, { path }: Place, { replaces }: Pick<WriteInput, "replaces">): void {
  if (replaces === undefined || basisOf(found).sha256 === replaces) return;
  throw new CapabilityError(
    "permanent",
    "content-differs",
    `\`${path}\` is not what was to be replaced: it changed since. Look at it, then write it without \`replaces\`.`,
  );
}

function creation({ path }: Place, content: Buffer): Change {
  const details = { bytes: content.length, sha256: sha256Of(content) };
  const text = textOf(content);
  if (text === undefined)
    return { kind: "create", target: path, summary: `New binary file, ${size(content.length)}`, details };
  return {
    kind: "create",
    target: path,
    summary: `New file, ${size(content.length)}`,
    diff: difference(path, undefined, text),
    details,
  };
}

function replacement({ path }: Place, found: FoundFile, content: Buffer): Change {
  const details = {
    bytes: content.length,
    sha256: sha256Of(content),
    previous: { bytes: found.content.length, sha256: found.sha256 },
  };
  if (found.sha256 === details.sha256) {
    return {
      kind: "update",
      target: path,
      summary: "Unchanged: the file has this content already",
      details: { ...details, unchanged: true },
    };
  }
  const sizes = `${size(found.content.length)} → ${size(content.length)}`;
  const [before, after] = [textOf(found.content), textOf(content)];
  if (before === undefined || after === undefined) {
    const hashes = `SHA-256 ${found.sha256} → ${details.sha256}`;
    return { kind: "update", target: path, summary: `Replaced, binary: ${sizes}, ${hashes}`, details };
  }
  return {
    kind: "update",
    target: path,
    summary: `Changed: ${sizes}`,
    diff: difference(path, before, after),
    details,
  };
}
