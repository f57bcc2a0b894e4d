import type { CallRef } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";

/** Returns the id of the call that undoes this one, unless that call ended without an effect. */
export async function findUndo(app: Pool, { tenant, call }: CallRef): Promise<string | undefined> {
  const [row] = await withTenant(app, tenant, (query) =>
    query<{ by: string }>(
      "select u.by from paraph.undo_claim u where u.tenant = $1 and u.call = $2 and not paraph.undid_nothing($1, u.by)",
      [tenant, call],
    ),
  );
  return row?.by;
}
