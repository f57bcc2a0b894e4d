import type { Pool } from "pg";

/** What a principal has lately done with one capability, apart from this call. */
interface Subject {
  readonly tenant: string;
  readonly principal: string;
  readonly capability: string;
  readonly call: string;
}

interface Lately {
  readonly sizes: readonly number[];
  readonly thisHour: number;
  readonly earlierHours: readonly number[];
}

/** The checks' port, on PostgreSQL. */
export function historyIn(app: Pool): { of(subject: Subject): Promise<Lately> } {
  const text = "select paraph.history($1, $2, $3, $4) as it";
  return {
    async of({ tenant, principal, capability, call }) {
      const values = [tenant, principal, capability, call];
      const { rows } = await app.query({ name: text, text, values });
      return rows[0].it;
    },
  };
}
