import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import type { PrincipalView } from "./administration-views.ts";
import type { ServerConnection } from "./connection.ts";
import { fetchAllPages } from "./fetch-all-pages.ts";

/** Lists the active people of the tenant. Returns undefined if no server answers or if the server denies access. */
export async function listPeople(
  context: Context,
  connection?: Promise<ServerConnection>,
): Promise<readonly PrincipalView[] | undefined> {
  try {
    const { principals } = await fetchAllPages<"principals", PrincipalView>(
      context,
      "/v1/principals",
      "principals",
      connection,
    );
    return principals.filter(({ kind, disabledAt }) => kind === "person" && disabledAt === undefined);
  } catch (error) {
    if (error instanceof CliError && !context.signal.aborted) return undefined;
    throw error;
  }
}
