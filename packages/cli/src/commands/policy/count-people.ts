import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";

interface PrincipalGroups {
  readonly id: string;
  readonly kind: string;
  readonly groups: readonly string[];
}

/** Counts the people of the tenant. Returns undefined if no server answers or if the server denies access. */
export async function countPeople(
  context: Context,
): Promise<{ readonly all: number; readonly byGroup: ReadonlyMap<string, number> } | undefined> {
  try {
    const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
    const byGroup = new Map<string, number>();
    let all = 0;
    for (let after: string | undefined = ""; after !== undefined; ) {
      const page: { principals: PrincipalGroups[]; next?: string } = await client.request(
        `/v1/principals?limit=100${after && `&after=${encodeURIComponent(after)}`}`,
      );
      for (const { groups } of page.principals.filter(({ kind }) => kind === "person")) {
        all += 1;
        for (const group of groups) byGroup.set(group, (byGroup.get(group) ?? 0) + 1);
      }
      after = page.next;
    }
    return { all, byGroup };
  } catch (error) {
    if (error instanceof CliError && !context.signal.aborted) return undefined;
    throw error;
  }
}
