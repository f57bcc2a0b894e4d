import { listPeople } from "../../lib/api/list-people.ts";
import type { Context } from "../../lib/context.ts";

/** Counts the people of the tenant. Returns undefined if no server answers or if the server denies access. */
export async function countPeople(
  context: Context,
): Promise<{ readonly all: number; readonly byGroup: ReadonlyMap<string, number> } | undefined> {
  const people = await listPeople(context);
  if (!people) return undefined;
  const byGroup = new Map<string, number>();
  for (const group of people.flatMap(({ groups }) => groups))
    byGroup.set(group, (byGroup.get(group) ?? 0) + 1);
  return { all: people.length, byGroup };
}
