import type { Database } from "../database.ts";

/** The poll of one adapter for one tenant, claimed by a poller. */
interface ClaimedPoll {
  readonly tenant: string;
  readonly adapter: string;
  /** [fence] The epoch of the claim. A write at any other epoch has no effect. */
  readonly epoch: number;
}

interface PolledAdapter {
  readonly adapter: string;
  readonly tenants: readonly string[] | undefined;
  /** The time that a claim lasts. */
  readonly leaseMs: number;
}

/** The maximum number of new polls that one pass creates. */
const maxStartedPolls = 1_000;

/** Creates the store for polls. Every method is one transaction. */
export function createPollStore({ app, sweeper }: Pick<Database, "app" | "sweeper">) {
  const one = async <T>(text: string, values: unknown[]): Promise<T> =>
    (await app.query(`select ${text} as it`, values)).rows[0].it;
  return {
    /** Creates the missing polls, so that every adapter is polled for each of its tenants, including new tenants. */
    async begin(watching: readonly PolledAdapter[]): Promise<void> {
      const missing = {
        name: "polls-missing",
        text: `select t.id as tenant, w.adapter from paraph.tenant t
               join jsonb_to_recordset($1) w (adapter text, tenants jsonb) on w.tenants is null or w.tenants ? t.id
               where not exists (select from paraph.poll p where p.tenant = t.id and p.adapter = w.adapter) limit ${maxStartedPolls}`,
        values: [JSON.stringify(watching)],
      };
      for (let found = maxStartedPolls; found === maxStartedPolls; ) {
        const { rows } = await sweeper.query(missing);
        found = rows.length;
        for (const { tenant, adapter } of rows) await one("paraph.begin_polling($1, $2)", [tenant, adapter]);
      }
    },
    /**
     * Claims polls that are due, the longest overdue first. A claim lasts for the lease. After that the poll is due
     * again, and the next claim raises its epoch.
     */
    async claim(watching: readonly PolledAdapter[], limit: number): Promise<readonly ClaimedPoll[]> {
      const { rows } = await sweeper.query({
        name: "polls-claim",
        text: `update paraph.poll p set epoch = p.epoch + 1, next_at = paraph.now() + due.lease * interval '1 ms'
               from (select d.tenant, d.adapter, w."leaseMs" as lease from paraph.poll d
                     join jsonb_to_recordset($1) w (adapter text, tenants jsonb, "leaseMs" int) on w.adapter = d.adapter and (w.tenants is null or w.tenants ? d.tenant)
                     where d.next_at <= paraph.now() order by d.next_at limit $2 for update of d skip locked) due
               where p.tenant = due.tenant and p.adapter = due.adapter
               returning p.tenant, p.adapter, p.epoch::int as epoch`,
        values: [JSON.stringify(watching), limit],
      });
      return rows;
    },
    /**
     * Returns the cursor and the number of failures of a claimed poll. Returns undefined if another poller has claimed
     * the poll in the meantime.
     */
    at: async ({ tenant, adapter, epoch }: ClaimedPoll) =>
      (await one<{ cursor: string | null; failures: number } | null>("paraph.poll_at($1, $2, $3)", [
        tenant,
        adapter,
        epoch,
      ])) ?? undefined,
    /**
     * Writes observations and the next cursor in one transaction. Returns undefined if another poller has claimed the
     * poll in the meantime.
     */
    commit: async (
      { tenant, adapter, epoch }: ClaimedPoll,
      page: {
        readonly cursor: string;
        readonly observations: readonly {
          readonly id: string;
          readonly kind: string;
          readonly subject: string;
          readonly at?: number;
          /** The data as JSON, or undefined if it was too large. */
          readonly body?: string;
        }[];
      },
      { waitMs, keepMs }: { readonly waitMs: number; readonly keepMs: number },
    ) =>
      (await one<number | null>(
        "paraph.observe($1, $2, $3, $4, $5, $6::bigint * interval '1 ms', $7::bigint * interval '1 ms')",
        [tenant, adapter, epoch, page.cursor, JSON.stringify(page.observations), waitMs, keepMs],
      )) ?? undefined,
    failed: ({ tenant, adapter, epoch }: ClaimedPoll, waitMs: number, code: string) =>
      one<boolean>("paraph.poll_failed($1, $2, $3, $4::bigint * interval '1 ms', $5)", [
        tenant,
        adapter,
        epoch,
        waitMs,
        code,
      ]),
  };
}
