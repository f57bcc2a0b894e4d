import { canonical, type Grant, type Json } from "@paraph/core";
import type { Pool } from "pg";
import type { RowChange } from "../identity/people.ts";

/** Standing approvals, for the capabilities that administer. Each is one transaction, and may be repeated. */
export interface GrantStore {
  create(tenant: string, grant: Grant, by: string): Promise<RowChange>;
  /** Once this has answered, no intent rests on it any more. */
  revoke(tenant: string, id: string, by: string): Promise<RowChange>;
  /** Those in force, the soonest to end first. */
  list(tenant: string): Promise<readonly Grant[]>;
}

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

/** What is not said of a grant is left out, not null. */
export function toGrants(rows: readonly GrantRow[]): Grant[] {
  return rows.map(({ bounds, ...row }) => {
    const said = Object.entries(row).filter(([, value]) => value !== null);
    return { ...(Object.fromEntries(said) as typeof row), bounds: JSON.parse(bounds) };
  });
}
