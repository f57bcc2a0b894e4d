import type { Contract } from "@paraph/core";
import type { Pool } from "pg";

/** The contracts that each adapter offered when it was last available, shared by every process of the deployment. */
export interface AdapterMemory {
  recall(): Promise<ReadonlyMap<string, readonly Contract[]>>;
  keep(adapter: {
    readonly name: string;
    readonly kind: string;
    readonly digest: string;
    readonly contracts: readonly Contract[];
  }): Promise<void>;
}

/** Creates the adapter memory on PostgreSQL. */
export function createAdapterMemory(app: Pool): AdapterMemory {
  return {
    async recall() {
      const { rows } = await app.query<{ name: string; contracts: Contract[] }>(
        "select name, contracts from paraph.adapter",
      );
      return new Map(rows.map(({ name, contracts }) => [name, contracts]));
    },
    async keep({ name, kind, digest, contracts }) {
      await app.query(
        `insert into paraph.adapter (name, kind, digest, contracts, at) values ($1, $2, $3, $4, paraph.now())
         on conflict (name) do update set kind = excluded.kind, digest = excluded.digest,
           contracts = excluded.contracts, at = excluded.at
         where adapter.digest <> excluded.digest`,
        [name, kind, digest, JSON.stringify(contracts)],
      );
    },
  };
}
