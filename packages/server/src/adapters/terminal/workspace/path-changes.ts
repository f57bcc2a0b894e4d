import { toEntryMark, type WorkspaceEntry, type WorkspaceTree } from "./entry.ts";

/** What one path was and became; not there where there was nothing. */
export interface PathChange {
  readonly path: string;
  readonly before?: WorkspaceEntry | undefined;
  readonly after?: WorkspaceEntry | undefined;
}

/** Where two trees differ, in the order of the paths. */
export function listPathChanges(before: WorkspaceTree, after: WorkspaceTree): PathChange[] {
  const was = new Map(before.entries.map((each) => [each.path, each]));
  const became = new Map(after.entries.map((each) => [each.path, each]));
  const paths = [...new Set([...was.keys(), ...became.keys()])].sort();
  return paths
    .map((path) => ({ path, before: was.get(path), after: became.get(path) }))
    .filter(
      ({ before: old, after: now }) =>
        !old || !now || old.kind !== now.kind || toEntryMark(old) !== toEntryMark(now),
    );
}

export function toChangeKind({ before, after }: PathChange): "create" | "update" | "delete" {
  return before === undefined ? "create" : after === undefined ? "delete" : "update";
}
