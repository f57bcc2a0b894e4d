import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";

interface PrincipalGroups {
  readonly id: string;
  readonly kind: string;
  readonly groups: readonly string[];
}

/** Counts the people in each group. Returns undefined if no server answers or if the server denies access. */
export async function countPeopleByGroup(context: Context): Promise<ReadonlyMap<string, number> | undefined> {
  try {
    const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
    const people = new Map<string, number>();
    for (let after: string | undefined = ""; after !== undefined; ) {
      const page: { principals: PrincipalGroups[]; next?: string } = await client.request(
        `/v1/principals?limit=100${after && `&after=${encodeURIComponent(after)}`}`,
      );
      for (const { kind, groups } of page.principals)
        if (kind === "person") for (const group of groups) people.set(group, (people.get(group) ?? 0) + 1);
      after = page.next;
    }
    return people;
  } catch (error) {
    if (error instanceof CliError && !context.signal.aborted) return undefined;
    throw error;
  }
}
