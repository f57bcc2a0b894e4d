import type { Freeze, Wake } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import type { RowChange } from "../identity/people.ts";

/** An intent that was written before the freeze and has not ended. Its attempt may still act. */
export interface InFlightIntent {
  readonly call: string;
  readonly capability: string;
  readonly attempt: number;
  readonly at: number;
}

/** The store of a tenant's freezes, which administrative capabilities use. Every method may be repeated. */
export interface FreezeStore {
  /**
   * Freezes the subject. Once this resolves, no call of the subject is accepted or started. Returns the attempts that
   * started before the freeze and have not ended.
   */
  freeze(
    tenant: string,
    freeze: Pick<Freeze, "id" | "kind" | "subject" | "by">,
  ): Promise<readonly InFlightIntent[]>;
  /** Lifts a freeze. `wakes` lists the parked calls that no freeze covers any more. They are due now. */
  thaw(
    tenant: string,
    id: string,
    by: string,
  ): Promise<{ readonly changed: RowChange; readonly wakes: readonly Wake[] }>;
  /** Lists the freezes in force, the oldest first. */
  list(tenant: string): Promise<readonly Freeze[]>;
}

/** Lists the freezes that are in force in any tenant, with ids and names only. */
export async function listAllFreezes(
  sweeper: Pool,
): Promise<(Pick<Freeze, "id" | "kind" | "subject"> & { tenant: string })[]> {
  const text = "select tenant, id, kind, subject from paraph.freeze where thawed_at is null";
  return (await sweeper.query({ name: "freezes", text })).rows;
}

/**
 * Lists the freezes in force of a tenant, the oldest first. `disabled` says that the subject is a disabled principal, so
 * that enabling it and not a thaw ends the freeze.
 */
export function listFreezes(
  app: Pool,
  tenant: string,
): Promise<readonly (Freeze & { readonly disabled: boolean })[]> {
  return withTenant(app, tenant, (query) =>
    query(
      `select f.id, f.kind, f.subject, f.by, paraph.millis(f.at)::float8 as at, p.disabled_at is not null as disabled
       from paraph.freeze f left join paraph.principal p on f.kind = 'principal' and p.tenant = f.tenant and p.id = f.subject
       where f.tenant = $1 and f.thawed_at is null order by f.at, f.id`,
      [tenant],
    ),
  );
}

/** Creates the freeze store on PostgreSQL. */
export function createFreezeStore(app: Pool): FreezeStore {
  const one = async (text: string, values: unknown[]) => (await app.query(text, values)).rows[0].it;
  return {
    freeze: (tenant, { id, kind, subject, by }) =>
      one("select paraph.freeze($1, $2, $3, $4, $5) as it", [tenant, id, kind, subject, by]),
    async thaw(tenant, id, by) {
      const { changed } = await one("select paraph.thaw($1, $2, $3) as it", [tenant, id, by]);
      const wakes: Wake[] = [];
      // The calls are woken in batches, each in its own transaction, so that other calls of the tenant continue in
      // between. If the thaw is interrupted, the sweeper finds the remaining calls when they are due, like every parked
      // call.
      for (let after: string | null = ""; after !== null; ) {
        const { wake, last } = await one("select paraph.wake_thawed($1, $2, $3) as it", [tenant, after, 500]);
        wakes.push(...wake.map((woken: Omit<Wake, "tenant">) => ({ tenant, ...woken })));
        after = last;
      }
      return { changed, wakes };
    },
    list: (tenant) => one("select paraph.list_freezes($1) as it", [tenant]),
  };
}
