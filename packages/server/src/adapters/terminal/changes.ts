import { type Entry, markOf, type Tree } from "./entry.ts";

/** What one path was and became; not there where there was nothing. */
export interface Changed {
  readonly path: string;
  readonly before?: Entry | undefined;
  readonly after?: Entry | undefined;
}

/** Where two trees differ, in the order of the paths. */
export function changesBetween(before: Tree, after: Tree): Changed[] {
  const was = new Map(before.entries.map((each) => [each.path, each]));
  const became = new Map(after.entries.map((each) => [each.path, each]));
  const paths = [...new Set([...was.keys(), ...became.keys()])].sort();
  return paths
    .map((path) => ({ path, before: was.get(path), after: became.get(path) }))
    .filter(
      ({ before: old, after: now }) => !old || !now || old.kind !== now.kind || markOf(old) !== markOf(now),
    );
}

export function kindOf({ before, after }: Changed): "create" | "update" | "delete" {
  return before === undefined ? "create" : after === undefined ? "delete" : "update";
}
