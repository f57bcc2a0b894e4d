import type { Pool } from "pg";

/** The principal and the capability whose recent usage is read. The usage by `call` itself is left out. */
interface UsageSubject {
  readonly tenant: string;
  readonly principal: string;
  readonly capability: string;
  readonly call: string;
}

interface RecentUsage {
  readonly sizes: readonly number[];
  readonly thisHour: number;
  readonly earlierHours: readonly number[];
}

/** Creates the usage history that the built-in checks use. It reads from PostgreSQL. */
export function createUsageHistory(app: Pool): { of(subject: UsageSubject): Promise<RecentUsage> } {
  const text = "select paraph.history($1, $2, $3, $4) as it";
  return {
    async of({ tenant, principal, capability, call }) {
      const values = [tenant, principal, capability, call];
      const { rows } = await app.query({ name: text, text, values });
      return rows[0].it;
    },
  };
}
