import { canonical, type Grant, type Json } from "@paraph/core";
import type { Pool } from "pg";
import type { Changed } from "./people.ts";

/** Standing approvals, for the capabilities that administer. Each is one transaction, and may be repeated. */
export interface Grants {
  create(tenant: string, grant: Grant, by: string): Promise<Changed>;
  /** Once this has answered, no intent rests on it any more. */
  revoke(tenant: string, id: string, by: string): Promise<Changed>;
  /** Those in force, the soonest to end first. */
  list(tenant: string): Promise<readonly Grant[]>;
}

export function grantsIn(app: Pool): Grants {
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
    list: async (tenant) =>
      grantsFrom(await one("select paraph.list_grants($1, null, null) as it", [tenant])),
  };
}

export interface GrantRow extends Omit<Grant, "bounds"> {
  readonly bounds: string;
}

/** What is not said of a grant is left out, not null. */
export function grantsFrom(rows: readonly GrantRow[]): Grant[] {
  return rows.map(({ bounds, ...row }) => {
    const said = Object.entries(row).filter(([, value]) => value !== null);
    return { ...(Object.fromEntries(said) as typeof row), bounds: JSON.parse(bounds) };
  });
}
