import { provision } from "../../packages/server/src/postgres/index.ts";
import type { LabCluster } from "../lab-cluster.ts";

/** A recorded notice, and whether its call has ended. */
export interface NoticeRow {
  readonly id: string;
  readonly recipient: string;
  readonly kind: "request" | "reminder" | "escalation" | "outcome" | "summary";
  readonly call: string | null;
  readonly seq: number | null;
  readonly state: "waiting" | "sent" | "coalesced" | "dropped" | "given-up";
  readonly code: string | null;
  readonly summary: string | null;
  readonly attempts: number;
  readonly hasEnded: boolean;
}

/** Reads the record of notices. */
export function readNotices(cluster: LabCluster): Promise<NoticeRow[]> {
  return cluster.query<NoticeRow>(
    `select n.id, n.recipient, n.kind, n.call, n.seq, n.state, n.code, n.summary, n.attempts, c.state is not distinct from 'closed' as "hasEnded"
     from paraph.notice n left join paraph.call c on c.tenant = n.tenant and c.id = n.call`,
  );
}

/**
 * Gives people an address. The mail server refuses `gone` for good, and `quiet` has quiet hours until the next midnight.
 * `owner` owns the agents, so it may not decide and must get nothing.
 */
export async function addRecipients(cluster: LabCluster): Promise<void> {
  await provision(cluster.ownerUrl, async (p) => {
    for (const id of ["gone", "quiet"]) await p.addPrincipal({ tenant: "acme", id, kind: "person" });
  });
  for (const id of ["approver", "second", "owner", "gone", "quiet"])
    await cluster.query("select paraph.contact_set('acme', $1, 'mail', $2, 'administration')", [
      id,
      toAddress(id),
    ]);
  await cluster.query(
    "insert into paraph.notification_preference values ('acme', 'quiet', null, 0, 1439, 'UTC', 'none', now())",
  );
}

/** Lets the notices go on that wait for the end of quiet hours. */
export async function endQuietHours(cluster: LabCluster): Promise<void> {
  await cluster.query("delete from paraph.notification_preference");
  await cluster.query("update paraph.notice set next_at = paraph.now() where state = 'waiting'");
}

export const toAddress = (person: string): string => `${person}@lab.test`;

/** Moves the clock past the minute in which earlier messages count towards the limits, and past the next reminder. */
export async function moveToNextMinute(cluster: LabCluster): Promise<void> {
  await moveClockBy(cluster, 130_000);
}

const offsets = new WeakMap<LabCluster, number>();

/** Moves the clock forward from where it is. */
export async function moveClockBy(cluster: LabCluster, ms: number): Promise<void> {
  const offset = (offsets.get(cluster) ?? 0) + ms;
  offsets.set(cluster, offset);
  await cluster.moveClock(offset);
}

/** Returns how far the database's clock is ahead of the machine's. */
export const getClockOffset = (cluster: LabCluster): number => offsets.get(cluster) ?? 0;

/** Returns whether every event is planned. */
export async function isPlanned(cluster: LabCluster): Promise<boolean> {
  const text = "select from paraph.webhook_delivery where delivered < wanted limit 1";
  return (await cluster.query(text)).length === 0;
}

/** Returns whether every event is planned and no notice is due. */
export async function isAtRest(cluster: LabCluster): Promise<boolean> {
  const [row] = await cluster.query<{ left: number }>(
    `select ((select count(*) from paraph.webhook_delivery where delivered < wanted)
       + (select count(*) from paraph.notice where state = 'waiting' and (next_at <= paraph.now() or failing_since is not null)))::int as left`,
  );
  return row?.left === 0;
}
