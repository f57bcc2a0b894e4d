import type { Change } from "@paraph/core";
import { z } from "zod";
import { difference } from "../text-difference.ts";
import { type Changed, kindOf } from "./changes.ts";
import { textOf } from "./content.ts";
import { type Entry, pathShown } from "./entry.ts";

const looks = z.object({
  kind: z.enum(["file", "folder", "link", "special"]),
  mode: z.string().exactOptional(),
  bytes: z.int().exactOptional(),
  sha256: z.string().exactOptional(),
  target: z.string().exactOptional(),
});

export const listedChange = z.object({
  path: z.string(),
  kind: z.enum(["create", "update", "delete"]),
  diff: z.string().exactOptional().describe("unified, where both sides are text and not too long"),
  before: looks.exactOptional(),
  after: looks.exactOptional(),
});
export type ListedChange = z.infer<typeof listedChange>;

/** Where the two sides of a change are read from. */
export interface Sides {
  before(entry: Entry & { kind: "file" }): Promise<Buffer>;
  after(entry: Entry & { kind: "file" }): Promise<Buffer>;
}

/** The changes in a form that fits an output: so many of them, with so much of their text. */
export async function listed(changes: readonly Changed[], sides: Sides): Promise<ListedChange[]> {
  return (await listing(changes, sides)).list;
}

/** The same, and whether a text was left out because it did not fit. */
export async function listing(
  changes: readonly Changed[],
  sides: Sides,
): Promise<{ readonly list: ListedChange[]; readonly isCut: boolean }> {
  const list: ListedChange[] = [];
  let room = mostDiff;
  let isCut = changes.length > mostListed;
  for (const change of changes.slice(0, mostListed)) {
    const diff = await diffOf(change, sides);
    const fits = diff !== undefined && diff.length <= room;
    if (fits) room -= diff.length;
    else isCut ||= diff !== undefined || isLong(change.before) || isLong(change.after);
    list.push({
      path: pathShown(change.path),
      kind: kindOf(change),
      ...(fits && { diff }),
      ...(change.before && { before: looksOf(change.before) }),
      ...(change.after && { after: looksOf(change.after) }),
    });
  }
  return { list, isCut };
}

function isLong(entry: Entry | undefined): boolean {
  return entry?.kind === "file" && entry.bytes > mostText;
}

/** The same for a preview. */
export function asChange({ path, kind, diff, before, after }: ListedChange): Change {
  return {
    kind,
    target: path,
    ...(diff !== undefined && { diff }),
    details: { ...(before && { before }), ...(after && { after }) },
  };
}

export const mostListed = 500;
const mostDiff = 256 * 1024;
const mostText = 256 * 1024;

async function diffOf({ path, before, after }: Changed, sides: Sides): Promise<string | undefined> {
  if (before && after && before.kind === "file" && after.kind === "file" && before.sha256 === after.sha256)
    return undefined;
  const was = await textAt(before, sides.before);
  const became = await textAt(after, sides.after);
  if (
    was.kind === "other" ||
    became.kind === "other" ||
    (was.kind === "nothing" && became.kind === "nothing")
  )
    return undefined;
  return difference(pathShown(path), was.text, became.text);
}

type Side =
  | { readonly kind: "nothing"; readonly text?: undefined }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "other" };

async function textAt(entry: Entry | undefined, read: Sides["before"]): Promise<Side> {
  if (entry === undefined) return { kind: "nothing" };
  if (entry.kind !== "file" || entry.bytes > mostText) return { kind: "other" };
  const text = textOf(await read(entry));
  return text === undefined ? { kind: "other" } : { kind: "text", text };
}

function looksOf(entry: Entry): z.infer<typeof looks> {
  const { kind } = entry;
  switch (kind) {
    case "file":
      return { kind, mode: entry.mode.toString(8), bytes: entry.bytes, sha256: entry.sha256 };
    case "folder":
      return { kind, mode: entry.mode.toString(8) };
    case "link":
      return { kind, target: pathShown(entry.target) };
    case "special":
      return { kind };
  }
}
