import { type Principal, seesEverything } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import { activityKindCondition } from "./activity.ts";

/** A hint that a call changed. It contains ids, numbers and a code, and never a payload. */
export interface TenantEvent {
  readonly call: string;
  readonly seq: number;
  readonly kind: string;
}

export type TenantNews = "ready" | "heartbeat" | readonly TenantEvent[];

/** Tells the readers of a tenant which calls change. */
export interface TenantFeed {
  /**
   * Yields `ready` once no further change can be missed, and then the changes of the calls that this reader may see, as
   * they happen, until the signal aborts.
   */
  follow(reader: Principal, signal: AbortSignal, heartbeatMs: number): AsyncGenerator<TenantNews>;
  /** Looks for changes now, because this process has just made one. */
  notify(tenant: string): void;
}

interface Listener {
  readonly reader: Principal;
  readonly deliver: (events: readonly TenantEvent[]) => void;
}

interface FollowedTenant {
  readonly listeners: Set<Listener>;
  /** The time of the newest event that was read, and the events that a further read would return again. */
  newest: Date;
  recent: Set<string>;
  looking: boolean;
}

const pollMs = 100;
/** A transaction that began earlier can commit this much later, so each read goes back this far. */
const lateCommitMs = 2_000;
const maxEvents = 5_000;

/**
 * Creates the feed. It polls an index over the newest events with one query for each followed tenant, and only while a
 * reader follows it. The events are hints: after a lost connection, readers load their data again.
 */
export function createTenantFeed(app: Pool): TenantFeed {
  const tenants = new Map<string, FollowedTenant>();
  let timer: NodeJS.Timeout | undefined;

  const look = async (tenant: string, followed: FollowedTenant) => {
    if (followed.looking) return;
    followed.looking = true;
    try {
      const since = new Date(followed.newest.getTime() - lateCommitMs);
      const rows = await readEvents(app, tenant, since);
      const news = rows.filter((row) => !followed.recent.has(toKey(row)));
      followed.recent = new Set(rows.map(toKey));
      for (const { at } of rows) if (at > followed.newest) followed.newest = at;
      if (news.length > 0) for (const listener of followed.listeners) deliverVisible(listener, news);
    } finally {
      followed.looking = false;
    }
  };
  const tick = () => {
    // A failed read is ignored, because a later one returns the same events.
    for (const [tenant, followed] of tenants) void look(tenant, followed).catch(() => {});
  };

  const join = async (tenant: string, listener: Listener) => {
    const known = tenants.get(tenant);
    if (known) return void known.listeners.add(listener);
    const [{ now }] = (await withTenant(app, tenant, (query) =>
      query<{ now: Date }>("select paraph.now() as now", []),
    )) as [{ now: Date }];
    const followed = tenants.get(tenant) ?? {
      listeners: new Set(),
      newest: now,
      recent: new Set((await readEvents(app, tenant, new Date(now.getTime() - lateCommitMs))).map(toKey)),
      looking: false,
    };
    // Another reader may have joined during the queries.
    const current = tenants.get(tenant) ?? followed;
    tenants.set(tenant, current);
    current.listeners.add(listener);
    timer ??= setInterval(tick, pollMs);
  };
  const leave = (tenant: string, listener: Listener) => {
    const followed = tenants.get(tenant);
    followed?.listeners.delete(listener);
    if (followed?.listeners.size === 0) tenants.delete(tenant);
    if (tenants.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    async *follow(reader, signal, heartbeatMs) {
      let waiting: TenantEvent[] = [];
      let isBehind = false;
      let wake = () => {};
      const listener: Listener = {
        reader,
        deliver: (events) => {
          // [TRUST 25] Ends the stream of a reader that does not read. It loads its data again when it reconnects.
          if (waiting.length + events.length > maxEvents) isBehind = true;
          else waiting.push(...events);
          wake();
        },
      };
      await join(reader.tenant, listener);
      try {
        yield "ready";
        while (!signal.aborted && !isBehind) {
          if (waiting.length === 0) {
            const woken = Promise.withResolvers<void>();
            wake = woken.resolve;
            const timeout = setTimeout(wake, heartbeatMs);
            signal.addEventListener("abort", wake, { once: true });
            await woken.promise;
            clearTimeout(timeout);
            signal.removeEventListener("abort", wake);
            if (isBehind || signal.aborted) return;
          }
          const events = waiting;
          waiting = [];
          yield events.length > 0 ? events : "heartbeat";
        }
      } finally {
        leave(reader.tenant, listener);
      }
    },
    notify(tenant) {
      const followed = tenants.get(tenant);
      if (followed) void look(tenant, followed).catch(() => {});
    },
  };
}

function deliverVisible({ reader, deliver }: Listener, rows: readonly EventRow[]): void {
  const visible = rows.filter(({ principal }) => seesEverything(reader) || principal === reader.id);
  if (visible.length > 0) deliver(visible.map(({ call, seq, kind }) => ({ call, seq, kind })));
}

interface EventRow extends TenantEvent {
  readonly at: Date;
  readonly principal: string;
}

const toKey = ({ call, seq }: EventRow) => `${call}.${seq}`;

function readEvents(app: Pool, tenant: string, since: Date): Promise<EventRow[]> {
  return withTenant(app, tenant, (query) =>
    query<EventRow>(
      `select e.call, e.seq::int as seq, e.kind, e.at, c.principal
       from (select * from paraph.event where tenant = $1 and ${activityKindCondition} and at >= $2 order by at desc limit ${maxEvents}) e
         cross join lateral (select k.principal from paraph.call k where k.tenant = $1 and k.id = e.call offset 0) c
       order by e.at, e.call, e.seq`,
      [tenant, since],
    ),
  );
}
