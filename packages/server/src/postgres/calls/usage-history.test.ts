import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { connectDatabase, createUsageHistory, provision } from "../index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

await provision(database.ownerUrl, async (p) => {
  for (const tenant of ["red", "blue"]) {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
  }
});
const history = createUsageHistory(db.app);
const subject = { tenant: "red", principal: "bot", capability: "mail.send", call: "call_now" };

let count = 0;
/** Inserts `many` closed calls from `hoursAgo` hours ago, each with an input of `bytes` bytes. */
async function insertCalls({
  many,
  hoursAgo,
  bytes = 10,
  tenant = "red",
  principal = "bot",
  capability = "mail.send",
  outcome = "succeeded",
}: {
  many: number;
  hoursAgo: number;
  bytes?: number;
  tenant?: string;
  principal?: string;
  capability?: string;
  outcome?: string;
}): Promise<void> {
  count += 1;
  // Ids are ordered by time, as real ones are.
  const ids = `'call_' || lpad(($3::int * -1 + 1000)::text, 6, '0') || '_' || lpad($4::text, 6, '0') || '_' || lpad(n::text, 6, '0')`;
  await database.query(
    `with opened as (
       insert into paraph.call (tenant, id, principal, key, capability, version, contract_digest, request_digest, lock_keys,
                                state, epoch, next_at, outcome, outcome_code, created_at, closed_at)
       select $1, ${ids}, $2, ${ids}, $5, 1, 'c', 'r', '{}', 'closed', 1, null, $6, 'done',
              paraph.now() - make_interval(hours => $3::int, mins => 5), paraph.now()
       from generate_series(1, $7::int) n
       returning tenant, id
     )
     insert into paraph.payload (tenant, call, name, version, salt, body)
     select tenant, id, 'input', 1, 's', repeat('x', $8::int) from opened`,
    [tenant, principal, hoursAgo, count, capability, outcome, many, bytes],
  );
}

beforeEach(async () => {
  await database.query("truncate paraph.call, paraph.payload");
});

describe("history", () => {
  it("contains the input sizes of succeeded calls, and the hourly counts of calls with any outcome", async () => {
    await insertCalls({ many: 3, hoursAgo: 0, bytes: 100 });
    await insertCalls({ many: 2, hoursAgo: 1, bytes: 50 });
    await insertCalls({ many: 4, hoursAgo: 5, outcome: "refused", bytes: 9_999 });
    const { sizes, thisHour, earlierHours } = await history.of(subject);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([50, 50, 100, 100, 100]);
    expect(thisHour).toBe(4);
    expect(earlierHours).toEqual([2, 4]);
  });

  it("[TRUST 10] excludes other tenants, principals and capabilities", async () => {
    await insertCalls({ many: 5, hoursAgo: 1, tenant: "blue" });
    await insertCalls({ many: 5, hoursAgo: 1, principal: "other" });
    await insertCalls({ many: 5, hoursAgo: 1, capability: "mail.read" });
    expect(await history.of(subject)).toEqual({ sizes: [], thisHour: 1, earlierHours: [] });
    expect((await history.of({ ...subject, tenant: "blue" })).earlierHours).toEqual([5]);
  });

  it("excludes the size of the call itself, and counts the call once in its hour", async () => {
    await insertCalls({ many: 1, hoursAgo: 0, bytes: 77 });
    const [row] = await database.query("select id from paraph.call");
    const itself = await history.of({ ...subject, call: String(row!.id) });
    expect(itself).toEqual({ sizes: [], thisHour: 1, earlierHours: [] });
  });

  it("omits the sizes of erased inputs", async () => {
    await insertCalls({ many: 2, hoursAgo: 1 });
    await database.query("delete from paraph.payload where call like '%_000001'");
    expect((await history.of(subject)).sizes).toEqual([10]);
  });

  it("reads the newest 5,000 calls, and drops the hour that it read only in part", async () => {
    await insertCalls({ many: 200, hoursAgo: 400 });
    await insertCalls({ many: 3_000, hoursAgo: 3 });
    await insertCalls({ many: 2_990, hoursAgo: 2, capability: "mail.read" });
    await insertCalls({ many: 10, hoursAgo: 1 });
    const { sizes, earlierHours } = await history.of(subject);
    expect(earlierHours).toEqual([10]);
    expect(sizes).toHaveLength(200);
  });

  it("covers the last 14 days", async () => {
    await insertCalls({ many: 7, hoursAgo: 400 });
    await insertCalls({ many: 3, hoursAgo: 300 });
    expect((await history.of(subject)).earlierHours).toEqual([3]);
  });
});
