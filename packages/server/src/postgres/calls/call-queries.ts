import type { Call, Preview } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";

/** Returns the second-to-last preview of a call, which the previous round was about. */
export async function findEarlierPreview(app: Pool, { tenant, call }: Call): Promise<Preview | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ body: string }>(
      `select body from paraph.payload where tenant = $1 and call = $2 and name = 'preview'
       order by version desc offset 1 limit 1`,
      [tenant, call],
    ),
  );
  return rows[0] && JSON.parse(rows[0].body);
}

/** Returns the signed receipt of a call as text, or undefined if the call has none. */
export async function findEnvelope(app: Pool, tenant: string, call: string): Promise<string | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ envelope: string }>("select envelope from paraph.receipt where tenant = $1 and call = $2", [
      tenant,
      call,
    ]),
  );
  return rows[0]?.envelope;
}

/** Returns the signed statement about how an unknown outcome was resolved, or undefined if it is unresolved. */
export async function findResolution(app: Pool, tenant: string, call: string): Promise<string | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ envelope: string }>("select envelope from paraph.resolution where tenant = $1 and call = $2", [
      tenant,
      call,
    ]),
  );
  return rows[0]?.envelope;
}
