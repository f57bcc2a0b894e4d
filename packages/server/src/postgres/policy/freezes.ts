import type { Freeze, Wake } from "@paraph/core";
import type { Pool } from "pg";
import type { RowChange } from "../identity/people.ts";

/** An intent that was written before the freeze and has not ended: it may still act. */
export interface InFlightIntent {
  readonly call: string;
  readonly capability: string;
  readonly attempt: number;
  readonly at: number;
}

/** The kill switch's rows, for the capabilities that administer. Each may be repeated. */
export interface FreezeStore {
  /** Once this has answered, nothing of the subject is accepted or begun; what had begun before is listed, all of it. */
  freeze(
    tenant: string,
    freeze: Pick<Freeze, "id" | "kind" | "subject" | "by">,
  ): Promise<readonly InFlightIntent[]>;
  /** `wakes`: the parked calls that nothing freezes any more, made due. */
  thaw(
    tenant: string,
    id: string,
    by: string,
  ): Promise<{ readonly changed: RowChange; readonly wakes: readonly Wake[] }>;
  /** Those in force, the oldest first. */
  list(tenant: string): Promise<readonly Freeze[]>;
}

/** Those in force, of every tenant: ids and names alone. */
export async function listAllFreezes(
  sweeper: Pool,
): Promise<(Pick<Freeze, "id" | "kind" | "subject"> & { tenant: string })[]> {
  const text = "select tenant, id, kind, subject from paraph.freeze where thawed_at is null";
  return (await sweeper.query({ name: "freezes", text })).rows;
}

export function createFreezeStore(app: Pool): FreezeStore {
  const one = async (text: string, values: unknown[]) => (await app.query(text, values)).rows[0].it;
  return {
    freeze: (tenant, { id, kind, subject, by }) =>
      one("select paraph.freeze($1, $2, $3, $4, $5) as it", [tenant, id, kind, subject, by]),
    async thaw(tenant, id, by) {
      const { changed } = await one("select paraph.thaw($1, $2, $3) as it", [tenant, id, by]);
      const wakes: Wake[] = [];
      // In pieces, each a transaction of its own: calls of the tenant go on in between. What is left of a thaw that was
      // interrupted is looked after when it is due, as every parked call is.
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
