import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import { connectDatabase } from "./index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

it("the report pool has its own connections with a timeout of 1 min instead of 8 s, and the same rights", async () => {
  const text =
    "select current_setting('statement_timeout') as limit, current_user as role, current_setting('row_security') as rls";
  expect((await db.app.query(text)).rows).toEqual([{ limit: "8s", role: "paraph_app", rls: "on" }]);
  expect((await db.reports.query(text)).rows).toEqual([{ limit: "1min", role: "paraph_app", rls: "on" }]);
});
