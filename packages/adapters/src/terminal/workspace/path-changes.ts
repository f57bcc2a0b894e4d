import { toEntryMark, type WorkspaceEntry, type WorkspaceTree } from "./entry.ts";

/** The entry at a path before and after a change. An undefined side means that the entry does not exist. */
export interface PathChange {
  readonly path: string;
  readonly before?: WorkspaceEntry | undefined;
  readonly after?: WorkspaceEntry | undefined;
}

/** Lists the differences between two trees, sorted by path. */
export function listPathChanges(before: WorkspaceTree, after: WorkspaceTree): PathChange[] {
  const was = new Map(before.entries.map((each) => [each.path, each]));
  const became = new Map(after.entries.map((each) => [each.path, each]));
  const paths = [...new Set([...was.keys(), ...became.keys()])].sort();
  return paths
    .map((path) => ({ path, before: was.get(path), after: became.get(path) }))
    .filter(
      ({ before, after }) =>
        !before || !after || before.kind !== after.kind || toEntryMark(before) !== toEntryMark(after),
    );
}

export function toChangeKind({ before, after }: PathChange): "create" | "update" | "delete" {
  return before === undefined ? "create" : after === undefined ? "delete" : "update";
}
