import { sha256Hex } from "@paraph/core";

/** The longest that common clients and models take. */
const maxNameLength = 64;

/**
 * `notes.list` is `notes_list`. Where two would be called the same, or the name is one of Paraph's own or too long, each of them
 * carries a piece of its digest: so a name depends on what it names, not on the order in which others came.
 */
export function assignToolNames(
  capabilities: readonly string[],
  reserved: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const plain = (name: string) => name.replaceAll(".", "_");
  const counted = Map.groupBy(capabilities, plain);
  return new Map(
    capabilities.map((name) => {
      const wanted = plain(name);
      const isFree =
        counted.get(wanted)!.length === 1 && !reserved.has(wanted) && wanted.length <= maxNameLength;
      return [name, isFree ? wanted : `${wanted.slice(0, maxNameLength - 9)}_${sha256Hex(name).slice(0, 8)}`];
    }),
  );
}
