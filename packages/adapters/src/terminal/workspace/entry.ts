import { createHash } from "node:crypto";
import { z } from "zod";

/**
 * An entry of a workspace. Its path is relative to the workspace and has one character per byte, because programs may
 * create names that are not text. `decodePath` makes it readable.
 */
export const workspaceEntry = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("file"), path: z.string(), mode: z.int(), bytes: z.int(), sha256: z.string() }),
  z.object({ kind: z.literal("folder"), path: z.string(), mode: z.int() }),
  z.object({ kind: z.literal("link"), path: z.string(), target: z.string() }),
  /** A pipe, a socket or an unreadable file. Paraph identifies it by its metadata and never restores it. */
  z.object({ kind: z.literal("special"), path: z.string(), looks: z.string() }),
]);
export type WorkspaceEntry = z.infer<typeof workspaceEntry>;

/** All entries of a workspace, sorted by path. */
export interface WorkspaceTree {
  readonly entries: readonly WorkspaceEntry[];
  /**
   * The hash of all entries. It excludes times and owners, so trees that differ only in times or owners have equal
   * digests.
   */
  readonly digest: string;
}

export function createTree(entries: readonly WorkspaceEntry[]): WorkspaceTree {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  const hash = createHash("sha256");
  for (const each of sorted) hash.update(`${JSON.stringify([each.path, each.kind, toEntryMark(each)])}\n`);
  return { entries: sorted, digest: hash.digest("hex") };
}

/**
 * Returns a text for comparing two entries at the same path. The texts are equal if the entries are equal, and
 * different otherwise.
 */
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
