import type { Change } from "@paraph/core";
import { z } from "zod";
import { formatUnifiedDiff } from "../../unified-diff.ts";
import { decodeUtf8 } from "../content.ts";
import { decodePath, type WorkspaceEntry } from "./entry.ts";
import { type PathChange, toChangeKind } from "./path-changes.ts";

const entrySummary = z.object({
  kind: z.enum(["file", "folder", "link", "special"]),
  mode: z.string().exactOptional(),
  bytes: z.int().exactOptional(),
  sha256: z.string().exactOptional(),
  target: z.string().exactOptional(),
});

export const listedChange = z.object({
  path: z.string(),
  kind: z.enum(["create", "update", "delete"]),
  diff: z.string().exactOptional().describe("a unified diff, if both sides are text and not too long"),
  before: entrySummary.exactOptional(),
  after: entrySummary.exactOptional(),
});
export type ListedChange = z.infer<typeof listedChange>;

/** The sources of a file's content before and after a change. */
export interface ContentSides {
  before(entry: WorkspaceEntry & { kind: "file" }): Promise<Buffer>;
  after(entry: WorkspaceEntry & { kind: "file" }): Promise<Buffer>;
}

/** Lists the changes within the output's limits for entries and text. */
export async function listChanges(
  changes: readonly PathChange[],
  sides: ContentSides,
): Promise<ListedChange[]> {
  return (await listChangesWithCut(changes, sides)).list;
}

/** Lists the changes within the limits, and reports whether the limits exclude any changes or text. */
export async function listChangesWithCut(
  changes: readonly PathChange[],
  sides: ContentSides,
): Promise<{ readonly list: ListedChange[]; readonly isCut: boolean }> {
  const list: ListedChange[] = [];
  let room = maxDiffLength;
  let isCut = changes.length > maxListedChanges;
  for (const change of changes.slice(0, maxListedChanges)) {
    const diff = await readDiff(change, sides);
    const fits = diff !== undefined && diff.length <= room;
    if (fits) room -= diff.length;
    else isCut ||= diff !== undefined || isLong(change.before) || isLong(change.after);
    list.push({
      path: decodePath(change.path),
      kind: toChangeKind(change),
      ...(fits && { diff }),
      ...(change.before && { before: summarizeEntry(change.before) }),
      ...(change.after && { after: summarizeEntry(change.after) }),
    });
  }
  return { list, isCut };
}

function isLong(entry: WorkspaceEntry | undefined): boolean {
  return entry?.kind === "file" && entry.bytes > maxTextBytes;
}

/** Converts a listed change to a change of a preview. */
export function toPreviewChange({ path, kind, diff, before, after }: ListedChange): Change {
  return {
    kind,
    target: path,
    ...(diff !== undefined && { diff }),
    details: { ...(before && { before }), ...(after && { after }) },
  };
}

export const maxListedChanges = 500;
const maxDiffLength = 256 * 1024;
const maxTextBytes = 256 * 1024;

async function readDiff(
  { path, before, after }: PathChange,
  sides: ContentSides,
): Promise<string | undefined> {
  if (before && after && before.kind === "file" && after.kind === "file" && before.sha256 === after.sha256)
    return undefined;
  const was = await readSideText(before, sides.before);
  const became = await readSideText(after, sides.after);
  if (
    was.kind === "other" ||
    became.kind === "other" ||
    (was.kind === "nothing" && became.kind === "nothing")
  )
    return undefined;
  return formatUnifiedDiff(decodePath(path), was.text, became.text);
}

type SideText =
  | { readonly kind: "nothing"; readonly text?: undefined }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "other" };

async function readSideText(
  entry: WorkspaceEntry | undefined,
  read: ContentSides["before"],
): Promise<SideText> {
  if (entry === undefined) return { kind: "nothing" };
  if (entry.kind !== "file" || entry.bytes > maxTextBytes) return { kind: "other" };
  const text = decodeUtf8(await read(entry));
  return text === undefined ? { kind: "other" } : { kind: "text", text };
}

function summarizeEntry(entry: WorkspaceEntry): z.infer<typeof entrySummary> {
  const { kind } = entry;
  switch (kind) {
    case "file":
      return { kind, mode: entry.mode.toString(8), bytes: entry.bytes, sha256: entry.sha256 };
    case "folder":
      return { kind, mode: entry.mode.toString(8) };
    case "link":
      return { kind, target: decodePath(entry.target) };
    case "special":
      return { kind };
  }
}
