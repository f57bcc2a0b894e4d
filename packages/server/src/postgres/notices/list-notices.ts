import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import type { NoticeKind } from "./notice-store.ts";

/** The state of a notice. `coalesced` means that a summary counts it. */
export const noticeStates = ["waiting", "sent", "coalesced", "dropped", "given-up"] as const;

/** One notice about a call, as recorded. It holds neither an address nor any content. */
export interface NoticeRecord {
  readonly id: string;
  readonly channel: string;
  readonly kind: Exclude<NoticeKind, "summary">;
  readonly recipient: string;
  readonly approval: string;
  readonly state: (typeof noticeStates)[number];
  /** Why the last attempt failed, or why the notice was dropped. */
  readonly code: string | null;
  readonly attempts: number;
  readonly at: number;
  /** When the notice was sent, or the summary that counts it. */
  readonly sentAt: number | null;
  /** When the recipient first opened the page of the call after that. */
  readonly openedAt: number | null;
}

const maxNotices = 1_000;

/** Returns the notices about a call, oldest first. */
export async function listNotices(
  pool: Pool,
  tenant: string,
  call: string,
): Promise<readonly NoticeRecord[]> {
  return withTenant(pool, tenant, (query) =>
    query<NoticeRecord>(
      `select n.id, n.channel, n.kind, n.recipient, n.approval, n.state, n.code, n.attempts, paraph.millis(n.at)::float8 as at,
         paraph.millis(coalesce(n.sent_at, s.sent_at))::float8 as "sentAt", paraph.millis(n.opened_at)::float8 as "openedAt"
       from paraph.notice n left join paraph.notice s on s.tenant = n.tenant and s.id = n.summary
       where n.tenant = $1 and n.call = $2 order by n.seq, n.channel, n.recipient limit ${maxNotices}`,
      [tenant, call],
    ),
  );
}
