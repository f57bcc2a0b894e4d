import { sha256Hex } from "@paraph/core";

/** The longest name that common clients and models accept. */
const maxNameLength = 64;

/**
 * Assigns a tool name to each capability, such as `notes_list` for `notes.list`. A name that is ambiguous, reserved or
 * too long ends with a part of the capability's digest. Names therefore do not depend on the order of the list.
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
