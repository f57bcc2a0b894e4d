import type { Pool } from "pg";
import type { RowChange } from "../identity/people.ts";

/** While somebody is away, somebody else answers with the groups of the absent one as well. */
export interface StoredDelegation {
  readonly id: string;
  readonly person: string;
  readonly standIn: string;
  readonly from: number;
  readonly until: number;
  readonly by: string;
  readonly at: number;
}

/** Each is one transaction, and may be repeated. */
export interface DelegationStore {
  /** `unknown`: one of the two is not a person of this tenant. */
  create(tenant: string, delegation: Omit<StoredDelegation, "by" | "at">, by: string): Promise<RowChange>;
  revoke(tenant: string, id: string, by: string): Promise<RowChange>;
  /** Those in force or still to come, the soonest to end first. */
  list(tenant: string): Promise<readonly StoredDelegation[]>;
}

export function createDelegationStore(app: Pool): DelegationStore {
  const one = async (text: string, values: unknown[]) => (await app.query(text, values)).rows[0].it;
  return {
    create: (tenant, delegation, by) =>
      one("select paraph.create_delegation($1, $2, $3) as it", [tenant, JSON.stringify(delegation), by]),
    revoke: (tenant, id, by) => one("select paraph.revoke_delegation($1, $2, $3) as it", [tenant, id, by]),
    list: (tenant) => one("select paraph.list_delegations($1) as it", [tenant]),
  };
}
