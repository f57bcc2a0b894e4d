import type { Pool } from "pg";
import { toCall } from "../calls/loaded-call.ts";
import type { Database } from "../database.ts";
import { type PrincipalRow, toPrincipal } from "../identity/caller.ts";
import type { CallNews, NoticeBatch, NoticeStore, QuietHours, ReachablePerson } from "./notice-store.ts";

/** Creates the record of notices on PostgreSQL. */
export function createNoticeStore({ app, sweeper }: Pick<Database, "app" | "sweeper">): NoticeStore {
  return {
    async listPeople(tenant, channel, { groups, ids, limit }) {
      const rows = await queryOne<readonly PersonRow[]>(
        app,
        "select paraph.notice_people($1, $2, $3, $4, $5) as it",
        [tenant, channel, groups ?? null, ids ?? [], limit],
      );
      return rows.map(({ principal, quiet, ...row }) => ({
        ...row,
        principal: toPrincipal(principal),
        ...(quiet && { quiet }),
      }));
    },
    async loadNews(...values) {
      const rows = await queryOne<readonly NewsRow[]>(
        app,
        "select paraph.notice_events($1, $2, $3, $4, $5) as it",
        values,
      );
      return rows.map(({ document, told, ...row }) => {
        const call = toCall(document);
        return { ...row, told: told ?? [], ...(call && { document: call }) };
      });
    },
    plan: (tenant, endpoint, channel, plans) =>
      queryOne(app, "select paraph.plan_notices($1, $2, $3, $4) as it", [
        ...[tenant, endpoint, channel, JSON.stringify(plans)],
      ]),
    listTold: (channel, { tenant, call }) =>
      queryOne(app, "select paraph.notice_told($1, $2, $3) as it", [tenant, channel, call]),
    async listDueRecipients(channel, limit) {
      // The inner limit bounds the cost while one recipient has thousands of due notices.
      const text = `select tenant, recipient from (
                      select tenant, recipient, next_at from paraph.notice
                      where channel = $1 and state = 'waiting' and next_at <= (select paraph.now()) order by next_at limit 5000) due
                    group by tenant, recipient order by min(next_at) limit $2`;
      return (await sweeper.query({ name: "notices-due", text, values: [channel, limit] })).rows;
    },
    async listRecentAttempts(channel) {
      const text = `select paraph.millis(attempted_at) as at from paraph.notice
                    where channel = $1 and attempted_at > paraph.now() - interval '1 minute'`;
      return (await sweeper.query<{ at: string }>(text, [channel])).rows.map(({ at }) => Number(at));
    },
    loadBatch: (...values) =>
      queryOne<NoticeBatch>(app, "select paraph.notice_batch($1, $2, $3, $4) as it", values),
    coalesce: (...values) =>
      queryOne(app, "select paraph.coalesce_notices($1, $2, $3, $4, $5) as it", values),
    postpone: (tenant, channel, recipient, until, except) =>
      queryOne(app, "select paraph.postpone_notices($1, $2, $3, $4, $5) as it", [
        ...[tenant, channel, recipient, new Date(until), except],
      ]),
    countSummary: (...values) => queryOne(app, "select paraph.notice_counts($1, $2) as it", values),
    beginAttempt: (...values) => queryOne(app, "select paraph.notice_attempt($1, $2) as it", values),
    endAttempt: (tenant, id, end) =>
      queryOne(app, "select paraph.notice_ended($1, $2, $3, $4, $5, $6) as it", [
        ...[tenant, id, end.state, "code" in end ? end.code : null],
        ...["providerId" in end ? end.providerId : null, "waitMs" in end ? end.waitMs : 0],
      ]),
    hold: (tenant, id, until) =>
      queryOne(app, "select paraph.notice_held($1, $2, $3) as it", [tenant, id, new Date(until)]),
  };
}

type PersonRow = Omit<ReachablePerson, "principal" | "quiet"> & {
  readonly principal: PrincipalRow;
  readonly quiet: QuietHours | null;
};

type NewsRow = Omit<CallNews, "document" | "told"> & {
  readonly document: unknown;
  readonly told: CallNews["told"] | null;
};

async function queryOne<T>(app: Pool, text: string, values: unknown[]): Promise<T> {
  return (await app.query(text, values)).rows[0].it;
}
