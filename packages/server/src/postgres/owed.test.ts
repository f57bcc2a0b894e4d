import { afterAll, expect, it } from "vitest";
import { testDatabase } from "../../../../test/database.ts";
import { connect, owedIn, provision } from "./index.ts";

const database = await testDatabase();
const db = await connect(database.url);
afterAll(() => db.close());
await provision(database.ownerUrl, (p) => p.tenant("acme"));

const owed = owedIn(db.app);
const bot = { tenant: "acme", id: "bot", kind: "agent" } as const;
const call = (id: string) => ({ tenant: "acme", principal: bot, call: id }) as never;

it("a result is owed to its principal, in its session, for its request, until it was handed over", async () => {
  await owed.keep(call("c1"), "s", "d");
  expect(await owed.find(bot, "s", "d")).toBe("c1");
  expect(await owed.find({ ...bot, id: "other" }, "s", "d")).toBeUndefined();
  expect(await owed.find({ ...bot, tenant: "evil" }, "s", "d")).toBeUndefined();
  expect(await owed.find(bot, "t", "d")).toBeUndefined();
  expect(await owed.find(bot, "s", "e")).toBeUndefined();
  await owed.settle("evil", ["c1"]);
  await owed.keep(call("c2"), "s", "d");
  expect(await owed.find(bot, "s", "d")).toBe("c2");
  await owed.settle("acme", ["c2", "c1"]);
  expect(await owed.find(bot, "s", "d")).toBeUndefined();
});

it("after a day the same request is a new one", async () => {
  await owed.keep(call("c3"), "s", "old");
  await database.query("update paraph.owed set at = at - interval '25 h' where call = 'c3'");
  expect(await owed.find(bot, "s", "old")).toBeUndefined();
  await owed.keep(call("c4"), "s", "old");
  expect(await owed.find(bot, "s", "old")).toBe("c4");
});
