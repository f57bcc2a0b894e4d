import type { Context } from "../context.ts";
import { createApiClient } from "./client.ts";
import { resolveConnection, type ServerConnection } from "./connection.ts";

/** Fetches all pages of a list, because administrators need the whole list. */
export async function fetchAllPages<Name extends string, Row>(
  context: Context,
  path: string,
  name: Name,
  connection: Promise<ServerConnection> = resolveConnection(context, "reader"),
): Promise<Record<Name, Row[]>> {
  const client = createApiClient(await connection, context.signal);
  const rows: Row[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const query: string = after === "" ? "limit=100" : `limit=100&after=${encodeURIComponent(after)}`;
    const page: Record<string, Row[]> & { next?: never } = await client.request(
      `${path}${path.includes("?") ? "&" : "?"}${query}`,
    );
    rows.push(...(page[name] ?? []));
    after = page.next as string | undefined;
  }
  return { [name]: rows } as Record<Name, Row[]>;
}
