import { expect, it } from "vitest";
import { connect, listApprovals, listInbox, listFlood } from "../packages/server/src/postgres/index.ts";
import { testDatabase } from "./database.ts";
const database = await testDatabase();
it("measures", async () => {
  await database.query("insert into paraph.tenant (id) values ('acme')");
  await database.query("insert into paraph.principal (tenant, id, kind) values ('acme','bo','person'), ('acme','ana','person')");
  await database.query("insert into paraph.principal (tenant, id, kind, owner) select 'acme', 'bot' || n, 'agent', 'ana' from generate_series(0, 1999) n");
  await database.query(`set role paraph_app`).catch(() => {});
  await database.query(`select set_config('paraph.tenant', 'acme', false)`);
  for (const [name, who] of [["spread", "n % 2000"], ["flood", "n % 20"]] as const) {
    await database.query("truncate paraph.call, paraph.approval, paraph.event").catch((e) => console.log(e.message));
    await database.query(`insert into paraph.call (tenant, id, principal, key, capability, version, contract_digest, request_digest, lock_keys, state, epoch, next_at, created_at)
      select 'acme', 'call_' || lpad(n::text, 8, '0'), 'bot' || (${who}), n::text, 'a.b' || (n % 3), 1, '', '', '{}', 'asking', 1, now() + interval '1 day', now() from generate_series(1, 20000) n`);
    await database.query(`insert into paraph.approval (tenant, id, call, round, digest, guards, expires_at)
      select 'acme', 'ask_' || lpad(n::text, 8, '0'), 'call_' || lpad(n::text, 8, '0'), 1, '', '[{"id":"g","quorum":1}]', now() + make_interval(secs => 3600 + n) from generate_series(1, 20000) n`);
    await database.query(`insert into paraph.event (tenant, call, seq, kind, at, data) select 'acme', 'call_' || lpad(n::text, 8, '0'), 1, 'asked', now(), '{}' from generate_series(1, 20000) n`);
    await database.query("analyze paraph.call; analyze paraph.approval; analyze paraph.event");
    const { app } = db;
    const bo = { tenant: "acme", id: "bo", kind: "person" } as const;
    for (const [what, run] of [
      ["api list", () => listApprovals(app, bo, { status: "open", limit: 50, singles: 5 })],
      ["inbox", () => listInbox(app, bo, { limit: 50, singles: 5 })],
      ["flood items", () => listFlood(app, bo, { principal: "bot7", capability: "a.b1" }, 100)],
    ] as const) {
      const times: number[] = [];
      let rows = 0;
      for (let i = 0; i < 60; i++) { const b = performance.now(); rows = (await run()).length; times.push(performance.now() - b); }
      times.sort((a, b) => a - b);
      console.log(name, what, rows, "p50", times[30]!.toFixed(1), "p95", times[57]!.toFixed(1));
    }
  }
  expect(1).toBe(1);
}, 120_000);
const db = await connect(database.url);
import { afterAll } from "vitest";
afterAll(() => db.close());
