import type { Call, Principal } from "@paraph/core";
import type { Pool } from "pg";

/** Results that nobody has come back for yet. */
export function owedIn(app: Pool) {
  return {
    async find(
      { tenant, id }: Principal,
      session: string,
      requestDigest: string,
    ): Promise<string | undefined> {
      const { rows } = await app.query<{ it: string | null }>({
        name: "find-owed",
        text: "select paraph.find_owed($1, $2, $3, $4) as it",
        values: [tenant, id, session, requestDigest],
      });
      return rows[0]?.it ?? undefined;
    },
    async keep({ tenant, principal, call }: Call, session: string, requestDigest: string): Promise<void> {
      const values = [tenant, principal.id, session, requestDigest, call];
      await app.query("select paraph.keep_owed($1, $2, $3, $4, $5)", values);
    },
    async settle(tenant: string, calls: readonly string[]): Promise<void> {
      await app.query("select paraph.settle_owed($1, $2)", [tenant, calls]);
    },
  };
}
