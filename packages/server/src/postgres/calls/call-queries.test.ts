import type { Call } from "@paraph/core";
import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { connectDatabase, listReasons } from "../index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

it("lists every reason of a call, oldest first, and none of another call or tenant", async () => {
  const rows = [
    ["red", "call_1", "reason", 2, "No objection."],
    ["red", "call_1", "reason", 1, "I asked the author."],
    ["red", "call_1", "purpose", 1, "A purpose."],
    ["red", "call_2", "reason", 1, "Of another call."],
    ["blue", "call_1", "reason", 1, "Of another tenant."],
  ];
  for (const [tenant, call, name, version, text] of rows) {
    await database.query(
      "insert into paraph.payload (tenant, call, name, version, salt, body) values ($1, $2, $3, $4, 's', $5)",
      [tenant, call, name, version, JSON.stringify(text)],
    );
  }
  expect(await listReasons(db.app, { tenant: "red", call: "call_1" } as Call)).toEqual([
    { salt: "s", value: "I asked the author." },
    { salt: "s", value: "No objection." },
  ]);
});
