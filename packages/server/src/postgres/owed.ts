import type { Call } from "@paraph/core";
import type { Pool } from "pg";

/** Results that nobody has come back for yet: who asks for the same again is handed them, see `load_twin`. */
export function owedIn(app: Pool) {
  return {
    async keep({ tenant, principal, call }: Call, session: string, requestDigest: string): Promise<void> {
      const values = [tenant, principal.id, session, requestDigest, call];
      await app.query("select paraph.keep_owed($1, $2, $3, $4, $5)", values);
    },
    async settle(tenant: string, calls: readonly string[]): Promise<void> {
      await app.query("select paraph.settle_owed($1, $2)", [tenant, calls]);
    },
  };
}
