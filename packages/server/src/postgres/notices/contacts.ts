import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import type { RowChange } from "../identity/people.ts";

/** The addresses at which channels reach people. */
export interface ContactStore {
  find(tenant: string, person: string, channel: string): Promise<string | undefined>;
  /** Sets or removes an address. The issuer never replaces an address that an administrator set. */
  set(
    tenant: string,
    person: string,
    channel: string,
    address: string | undefined,
    source: "issuer" | "administration",
  ): Promise<RowChange>;
}

/** Creates the addresses of people on PostgreSQL. */
export function createContactStore(app: Pool): ContactStore {
  return {
    async find(tenant, person, channel) {
      const [row] = await withTenant(app, tenant, (query) =>
        query<{ address: string }>(
          "select address from paraph.contact where tenant = $1 and person = $2 and channel = $3",
          [tenant, person, channel],
        ),
      );
      return row?.address;
    },
    async set(tenant, person, channel, address, source) {
      const text = "select paraph.contact_set($1, $2, $3, $4, $5) as it";
      return (await app.query(text, [tenant, person, channel, address ?? null, source])).rows[0].it;
    },
  };
}
