import { CapabilityError, type Change, type Preview } from "@paraph/core";
import { demandFree, demandThere, entryAt, type Thing } from "./entry.ts";
import { factOf, nothingThere } from "./fact.ts";
import { demandFolders, leftFolders, newFolders } from "./folders.ts";
import { holding } from "./holding.ts";
import type { MoveInput } from "./move.ts";
import { leadsInto, type Place, placeOf } from "./path.ts";
import { inFolder, type Reached } from "./rooted.ts";
import type { Setting } from "./setting.ts";
import { shown, size } from "./words.ts";

/** [P3] Opens for reading only. */
export async function previewMove(setting: Setting, input: MoveInput): Promise<Preview> {
  const places = placesOf(input);
  return inBoth(setting, places, async (source, target) => {
    const found = demandThere(await entryAt(source, places.from, setting.maxBytes), places.from);
    demandFolders(target, places.to, input.createFolders);
    await demandFree(target, places.to);
    return {
      changes: [
        ...newFolders(target, places.to),
        movement(places, found),
        ...leftFolders(places.from, input.emptyFolders),
      ],
      basis: { from: factOf(found), to: nothingThere },
    };
  });
}

export interface Places {
  readonly from: Place;
  readonly to: Place;
}

export function placesOf(input: { readonly from: string; readonly to: string }): Places {
  const places = { from: placeOf(input.from), to: placeOf(input.to) };
  if (leadsInto(places.from, places.to)) {
    throw new CapabilityError(
      "permanent",
      "into-itself",
      `\`${places.to.path}\` is \`${places.from.path}\` or in it: choose another destination.`,
    );
  }
  return places;
}

/** Both folders held open at once. Folders are made on the side of the destination only. */
export function inBoth<T>(
  { root }: Setting,
  { from, to }: Places,
  body: (source: Reached, target: Reached) => Promise<T>,
  make = false,
): Promise<T> {
  return inFolder(root, from.folders, (source) =>
    inFolder(root, to.folders, (target) => body(source, target), make),
  );
}

function movement({ from, to }: Places, found: Thing): Change {
  const target = from.path;
  if (found.kind === "file") {
    const summary = `Moved to ${shown(to.path)}: file, ${size(found.bytes)}`;
    return { kind: "move", target, summary, details: { to: to.path, bytes: found.bytes } };
  }
  const { words, details } = holding(found);
  return {
    kind: "move",
    target,
    summary: `Moved to ${shown(to.path)}: folder, ${words}`,
    details: { to: to.path, ...details },
  };
}
