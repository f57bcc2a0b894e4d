import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import { withTenant } from "./database.ts";
import { connectDatabase, provision, readBacklog, readDeploymentStatus } from "./index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

// The pool of the metrics has the same role, but its queries end after a second, which a busy machine may need.
const queryAll = async <R>(text: string) => (await db.sweeper.query(text)).rows as R[];
const insertCall = (tenant: string, id: string, columns: Record<string, unknown>) => {
  const row = {
    ...{ tenant, id, key: id, principal: "bot", capability: "a.b", version: 1, contract_digest: "c" },
    ...{ request_digest: "r", lock_keys: [], state: "ready", epoch: 1, created_at: new Date(), ...columns },
  };
  const columnNames = Object.keys(row);
  return database.query(
    `insert into paraph.call (${columnNames}) values (${columnNames.map((_, index) => `$${index + 1}`)})`,
    Object.values(row),
  );
};
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const ask = async (tenant: string, minutes: number, status = "open") =>
  database.query(
    `insert into paraph.approval (tenant, id, call, round, digest, status, guards, expires_at)
     select $1, 'ask_' || paraph.id_digits($2) || '0123456789abcdef', gen_random_uuid(), 1, 'd', $3, '[]', now()`,
    [tenant, minutesAgo(minutes), status],
  );

beforeAll(async () => {
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant("red");
    await p.addTenant("blue");
  });
  for (const minutes of [1, 2, 30, 100, 1_000, 3_000]) await ask("red", minutes);
  await ask("red", 9_000, "approved");
  await ask("blue", 4_000);

  const closed = { state: "closed", outcome: "unknown", outcome_code: "lost" };
  await insertCall("red", "due", { next_at: minutesAgo(3) });
  await insertCall("red", "later", { next_at: minutesAgo(-3) });
  await insertCall("blue", "due", { next_at: minutesAgo(7) });
  await insertCall("blue", "stuck", { stuck: "crashed-repeatedly" });
  await insertCall("red", "open", closed);
  await insertCall("red", "resolved", closed);
  await insertCall("red", "done", { ...closed, outcome: "succeeded" });
  await database.query(
    `insert into paraph.resolution (tenant, call, finding, by, how, at, digest, envelope)
     values ('red', 'resolved', 'happened', 'ana', 'person', now(), 'd', '{}')`,
  );
  await database.query(
    "insert into paraph.lock values ('red', 'a', 'due'), ('red', 'b', null), ('blue', 'a', 'due')",
  );
});

it("counts the work of all tenants that waits, and what is over does not count", async () => {
  const { approvals, due, ...numbers } = await readBacklog(queryAll);
  expect(numbers).toEqual({ stuck: 1, unknown: 1, locksHeld: 2 });
  expect(approvals).toMatchObject({ count: 7, byAge: [2, 1, 1, 1, 2] });
  expect(approvals.oldestMs! / 60_000).toBeCloseTo(4_000, -1);
  expect(due.count).toBe(2);
  expect(due.oldestMs! / 60_000).toBeCloseTo(7, 0);
});

it("[TRUST 10] counts only the own work inside a tenant", async () => {
  const { approvals, due, ...numbers } = await withTenant(db.app, "red", readBacklog);
  expect(numbers).toEqual({ stuck: 0, unknown: 1, locksHeld: 1 });
  expect(approvals).toMatchObject({ count: 6, byAge: [2, 1, 1, 1, 1] });
  expect(due.count).toBe(1);
  expect(await withTenant(db.app, "nobody", readBacklog)).toEqual({
    ...{
      approvals: { count: 0, byAge: [0, 0, 0, 0, 0] },
      due: { count: 0 },
      stuck: 0,
      unknown: 0,
      locksHeld: 0,
    },
  });
});

it("counts failing deliveries of active endpoints, and workers only while they hold their lease", async () => {
  await database.query("insert into paraph.webhook_endpoint values ('on', true), ('off', false)");
  await database.query(
    `insert into paraph.webhook_delivery (tenant, endpoint, call, wanted, delivered, next_at, failing_since)
     values ('red', 'on', 'a', 2, 1, now(), $1), ('red', 'on', 'b', 2, 1, now(), null), ('red', 'on', 'c', 2, 2, now(), null),
            ('red', 'off', 'd', 2, 1, now(), $1)`,
    [minutesAgo(9)],
  );
  await database.query(
    "insert into paraph.process_lease (life, holder, worker_url) values (7001, 'killed', 'url')",
  );
  expect(await readDeploymentStatus(queryAll)).toMatchObject({ workers: 0, webhooks: { count: 1 } });

  const worker = await db.sweeper.connect();
  await worker.query("select pg_advisory_lock(7412, 7001)");
  expect(await readDeploymentStatus(queryAll)).toMatchObject({ workers: 1 });
  worker.release(true);
});

it("each count reads a partial index, so that closed calls cost nothing", async () => {
  const read: string[] = [];
  const explain = async <R>(text: string) => {
    const plan = await db.sweeper.query(`explain (costs off) ${text}`);
    read.push(...plan.rows.map((row) => String(row["QUERY PLAN"])));
    return queryAll<R>(text);
  };
  await readBacklog(explain);
  await readDeploymentStatus(explain);
  const indexes = read.flatMap((line) => /(?:Scan using|Index Scan on) (\w+)/.exec(line)?.[1] ?? []);
  for (const index of [/^approval_(?:open|soonest)$/, /^call_due$/, /^call_stuck$/, /^call_unknown$/])
    expect(indexes).toContainEqual(expect.stringMatching(index));
  expect(indexes).toContain("webhook_delivery_due");
  expect(indexes).not.toContain("call_pkey");
  expect(read.join("\n")).not.toMatch(/Seq Scan on (?:call|approval|webhook_delivery)/);
});

it("metrics have their own connection, which gives up after a second", async () => {
  const { rows } = await db.metrics.query(
    "select current_setting('statement_timeout') as timeout, current_user as role",
  );
  expect(rows).toEqual([{ timeout: "1s", role: "paraph_sweeper" }]);
  expect(db.metrics.options.max).toBe(1);
});

it("counts the notices that are due or failed by channel and kind, with the age of the oldest", async () => {
  await database.query("select paraph.configure_webhooks('{channel:mail}')");
  const notices = [
    ["due", "mail", "request", "waiting", 5, null],
    ["failing", "mail", "request", "waiting", -5, 9],
    ["held", "mail", "request", "waiting", -5, null],
    ["sent", "mail", "request", "sent", 8, null],
    ["summary", "mail", "summary", "waiting", 2, null],
    ["removed", "push", "request", "waiting", 8, null],
  ] as const;
  for (const [id, channel, kind, state, due, failing] of notices)
    await database.query(
      `insert into paraph.notice (tenant, id, channel, kind, recipient, call, urgency, state, at, next_at, failing_since)
       values ('red', $1, $2, $3, 'ana', case when $3 <> 'summary' then $1 end, 0, $4, now(), $5, $6)`,
      [id, channel, kind, state, minutesAgo(due), failing === null ? null : minutesAgo(failing)],
    );
  const found = (await readDeploymentStatus(queryAll)).notices.toSorted((a, b) => b.count - a.count);
  expect(found).toMatchObject([
    { channel: "mail", kind: "request", count: 2 },
    { channel: "mail", kind: "summary", count: 1 },
  ]);
  expect(found.map(({ oldestMs = 0 }) => Math.round(oldestMs / 60_000))).toEqual([9, 2]);
});
