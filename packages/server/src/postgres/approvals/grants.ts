import { canonical, type Grant, type Json } from "@paraph/core";
import type { Pool } from "pg";
import type { RowChange } from "../identity/people.ts";

/** The grants of a tenant, for administrative capabilities. Every method is one transaction and may be repeated. */
export interface GrantStore {
  create(tenant: string, grant: Grant, by: string): Promise<RowChange>;
  /** Revokes a grant. Once this resolves, no new intent depends on the grant. */
  revoke(tenant: string, id: string, by: string): Promise<RowChange>;
  /** Lists the grants in force. The grant that ends first comes first. */
  list(tenant: string): Promise<readonly Grant[]>;
}

/** Creates the grant store on PostgreSQL. */
export function createGrantStore(app: Pool): GrantStore {
  const one = async (text: string, values: unknown[]) => (await app.query(text, values)).rows[0].it;
  return {
    create: (tenant, { bounds, ...grant }, by) =>
      one("select paraph.create_grant($1, $2, $3, $4) as it", [
        tenant,
        JSON.stringify(grant),
        canonical(bounds as unknown as Json),
        by,
      ]),
    revoke: (tenant, id, by) => one("select paraph.revoke_grant($1, $2, $3) as it", [tenant, id, by]),
    list: async (tenant) => toGrants(await one("select paraph.list_grants($1, null, null) as it", [tenant])),
  };
}

export interface GrantRow extends Omit<Grant, "bounds"> {
  readonly bounds: string;
}

/** Turns rows into grants. It omits fields that are null. */
export function toGrants(rows: readonly GrantRow[]): Grant[] {
  return rows.map(({ bounds, ...row }) => {
    const said = Object.entries(row).filter(([, value]) => value !== null);
    return { ...(Object.fromEntries(said) as typeof row), bounds: JSON.parse(bounds) };
  });
}
