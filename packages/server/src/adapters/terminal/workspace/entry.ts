import { createHash } from "node:crypto";
import { z } from "zod";

/**
 * One thing in a workspace. A path is relative to it and holds one character for each byte: programs give names that
 * are no text. `pathShown` makes it readable.
 */
export const workspaceEntry = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("file"), path: z.string(), mode: z.int(), bytes: z.int(), sha256: z.string() }),
  z.object({ kind: z.literal("folder"), path: z.string(), mode: z.int() }),
  z.object({ kind: z.literal("link"), path: z.string(), target: z.string() }),
  /** A pipe, a socket, or what may not be read: known by its looks, and never put back. */
  z.object({ kind: z.literal("special"), path: z.string(), looks: z.string() }),
]);
export type WorkspaceEntry = z.infer<typeof workspaceEntry>;

/** Everything in a workspace, in the order of the paths. */
export interface WorkspaceTree {
  readonly entries: readonly WorkspaceEntry[];
  /** Over all of it: equal trees, equal digests. Times and owners are no part of it. */
  readonly digest: string;
}

export function createTree(entries: readonly WorkspaceEntry[]): WorkspaceTree {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  const hash = createHash("sha256");
  for (const each of sorted) hash.update(`${JSON.stringify([each.path, each.kind, toEntryMark(each)])}\n`);
  return { entries: sorted, digest: hash.digest("hex") };
}

/** What makes two entries at one path the same. */
export function toEntryMark(each: WorkspaceEntry): string {
  switch (each.kind) {
    case "file":
      return `${each.mode.toString(8)} ${each.sha256}`;
    case "folder":
      return each.mode.toString(8);
    case "link":
      return each.target;
    case "special":
      return each.looks;
  }
}

export function decodePath(path: string): string {
  return Buffer.from(path, "latin1").toString("utf8");
}
