import { ParaphError } from "@paraph/core";
import { Client } from "pg";

/** A connection with the login of the database's owner. It sees the rows of one tenant. */
export interface OwnerSession {
  readonly tenant: string;
  readonly query: <R = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<R[]>;
}

/** Connects as the owner of the database, for one tenant. Throws if the tenant does not exist. */
export async function withOwnerSession<T>(
  { ownerUrl, tenant }: { readonly ownerUrl: string; readonly tenant: string },
  body: (session: OwnerSession) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: ownerUrl, application_name: "paraph retention" });
  client.on("error", () => {});
  await client.connect();
  const query: OwnerSession["query"] = async (text, values) =>
    (await client.query(text, values as unknown[])).rows;
  try {
    if ((await query("select from paraph.tenant where id = $1", [tenant])).length === 0)
      throw new ParaphError("input-invalid", `There is no tenant \`${tenant}\` in this database.`);
    await query("select set_config('paraph.tenant', $1, false)", [tenant]);
    return await body({ tenant, query });
  } finally {
    await client.end();
  }
}
