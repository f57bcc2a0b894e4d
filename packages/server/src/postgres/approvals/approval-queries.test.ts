import type { Principal } from "@paraph/core";
import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { connectDatabase, listApprovals, listFlood, listInbox, provision } from "../index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

const tenant = "acme";
const reader: Principal = { tenant, id: "ana", kind: "person" };
await provision(database.ownerUrl, async (p) => {
  await p.addTenant(tenant);
  await p.addPrincipal(reader);
  for (const id of ["bot", "other"]) await p.addPrincipal({ tenant, id, kind: "agent", owner: "ana" });
});

/**
 * Inserts calls that wait for approvers, with the rows that the pipeline writes. Their ids are numbered in this order.
 */
async function insertAsks(from: number, to: number, principal: string, capability: string, more = "asking") {
  const range = [from, to, principal, capability, more];
  await database.query(
    `insert into paraph.call (tenant, id, principal, key, capability, version, contract_digest, request_digest, lock_keys, state, epoch, next_at, outcome, outcome_code, created_at, closed_at)
     select 'acme', 'call_' || lpad(n::text, 6, '0'), $3, n::text, $4, 1, '', '', '{}', $5, 1,
            case when $5 = 'asking' then now() end, case when $5 = 'closed' then 'denied' end, case when $5 = 'closed' then 'denied' end, now(), case when $5 = 'closed' then now() end
     from generate_series($1::int, $2::int) n`,
    range,
  );
  await database.query(
    `insert into paraph.approval (tenant, id, call, round, digest, status, guards, expires_at)
     select 'acme', 'ask_' || lpad(n::text, 6, '0'), 'call_' || lpad(n::text, 6, '0'), 1, '', case when $3 = 'asking' then 'open' else 'denied' end, '[]', date_trunc('milliseconds', now()) + make_interval(mins => n)
     from generate_series($1::int, $2::int) n`,
    [from, to, more],
  );
  await database.query(
    `insert into paraph.event_row (tenant, call, seq, kind, at, data)
     select 'acme', 'call_' || lpad(n::text, 6, '0'), seq, kind, timestamptz 'epoch' + make_interval(secs => n + seq), '{}'
     from generate_series($1::int, $2::int) n, (values (1, 'accepted'), (2, 'asked'), (3, 'asked'), (4, 'voted')) e (seq, kind)`,
    [from, to],
  );
}

const toNumbers = (items: readonly { approval: string }[]) =>
  items.map(({ approval }) => Number(approval.slice(4)));
const listPage = (more: { before?: string; limit?: number; items?: number } = {}) =>
  listApprovals(db.app, reader, { status: "open", limit: 50, singles: 2, items: 3, ...more });

// Two interleaved floods, a single round between them, and rounds that were decided long ago.
await insertAsks(1, 4, "bot", "a.b", "closed");
await insertAsks(5, 8, "bot", "a.b");
await insertAsks(9, 9, "other", "a.b");
await insertAsks(10, 12, "bot", "a.c");
await insertAsks(13, 14, "bot", "a.b");

it("[TRUST 19] a page lists each flood as one bundle with its newest requests, and lists the rest singly", async () => {
  const { approvals, bundles, next } = await listPage();
  expect(toNumbers(approvals)).toEqual([9]);
  expect(bundles.map(({ items, ...flood }) => [flood, toNumbers(items)])).toEqual([
    [{ principal: "bot", capability: "a.b", count: 6 }, [14, 13, 8]],
    [{ principal: "bot", capability: "a.c", count: 3 }, [12, 11, 10]],
  ]);
  expect(next).toBeUndefined();
});

it("a bundle counts as one entry of its page, however many items it has, and the pages omit no request", async () => {
  const seen = new Set<number>();
  let before: string | undefined;
  do {
    const { approvals, bundles, next } = await listPage({
      limit: 2,
      ...(before !== undefined && { before }),
    });
    expect(approvals.length + bundles.length).toBeLessThanOrEqual(2);
    for (const id of [...toNumbers(approvals), ...bundles.flatMap(({ items }) => toNumbers(items))])
      seen.add(id);
    before = next;
  } while (before !== undefined);
  expect([...seen].sort((a, b) => a - b)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
});

it("an approval contains the time at which it was last asked", async () => {
  const [alone] = (await listPage()).approvals;
  expect(alone).toMatchObject({ call: "call_000009", askedAt: 12_000, votes: 0, principal: "other" });
});

it("[TRUST 19] the list of a flood contains its open requests, newest first, up to the limit", async () => {
  const of = { principal: "bot", capability: "a.b" };
  expect(toNumbers(await listFlood(db.app, reader, of, 100))).toEqual([14, 13, 8, 7, 6, 5]);
  expect(toNumbers(await listFlood(db.app, reader, of, 2))).toEqual([14, 13]);
});

it("[TRUST 19] if more requests wait than a page scans, the next page begins after the last scanned request", async () => {
  await insertAsks(100, 1_200, "bot", "a.d");
  const { bundles, approvals, next } = await listPage();
  expect(bundles.map(({ capability, count }) => [capability, count])).toEqual([["a.d", 1_000]]);
  expect([approvals, next]).toEqual([[], "ask_000201"]);
  const rest = await listPage({ before: next! });
  expect(rest.bundles.map(({ capability, count }) => [capability, count])).toEqual([
    ["a.d", 101],
    ["a.b", 6],
    ["a.c", 3],
  ]);
  // The inbox lists the round that expires first. The flood fills the rest of the scanned rounds.
  const inbox = await listInbox(db.app, reader, { limit: 50, singles: 2, items: 5 });
  expect(inbox.rows.map(({ capability, flood }) => [capability, flood?.count])).toEqual([
    ["a.b", 6],
    ["a.b", undefined],
    ["a.c", 3],
    ["a.d", 990],
  ]);
  expect(inbox.next?.approval).toBe("ask_001089");
});
