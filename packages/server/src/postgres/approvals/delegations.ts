import type { Pool } from "pg";
import type { RowChange } from "../identity/people.ts";

/**
 * A delegation. During its period, `delegate` may vote in place of `person`. For such a vote, `delegate` also has the
 * groups of `person`.
 */
export interface StoredDelegation {
  readonly id: string;
  readonly person: string;
  readonly delegate: string;
  readonly from: number;
  readonly until: number;
  readonly by: string;
  readonly at: number;
}

/** The delegations of a tenant. Every method is one transaction and may be repeated. */
export interface DelegationStore {
  /** Creates a delegation. Returns `unknown` if `person` or `delegate` is not a person of this tenant. */
  create(tenant: string, delegation: Omit<StoredDelegation, "by" | "at">, by: string): Promise<RowChange>;
  revoke(tenant: string, id: string, by: string): Promise<RowChange>;
  /** Lists the current and future delegations. The delegation that ends first comes first. */
  list(tenant: string): Promise<readonly StoredDelegation[]>;
}

/** Creates the delegation store on PostgreSQL. */
export function createDelegationStore(app: Pool): DelegationStore {
  const one = async (text: string, values: unknown[]) => (await app.query(text, values)).rows[0].it;
  return {
    create: (tenant, delegation, by) =>
      one("select paraph.create_delegation($1, $2, $3) as it", [tenant, JSON.stringify(delegation), by]),
    revoke: (tenant, id, by) => one("select paraph.revoke_delegation($1, $2, $3) as it", [tenant, id, by]),
    list: (tenant) => one("select paraph.list_delegations($1) as it", [tenant]),
  };
}
