import { afterAll, expect, it } from "vitest";
import { testDatabase } from "../../../../test/database.ts";
import { beginLife, connect, owedIn, PostgresStore, provision } from "./index.ts";
import { begun, closing, newCall } from "./test-call.ts";

const database = await testDatabase();
const db = await connect(database.url);
const life = await beginLife(database.url);
const store = new PostgresStore(db.app, life.number);
afterAll(async () => {
  await life.end();
  await db.close();
});
await provision(database.ownerUrl, async (p) => {
  await p.tenant("acme");
  await p.principal({ tenant: "acme", id: "bot", kind: "agent" });
});
const owed = owedIn(db.app);

/** A closed call, asked for in the session `s`. */
async function closedCall() {
  const opening = newCall("acme", begun());
  await store.open(opening);
  await store.commit(closing(opening, { epoch: 1 }));
  const call = (await store.load(opening))!;
  expect(call.state).toBe("closed");
  return call;
}

it("[TRUST 19] a result is owed to its principal, in its session, for its request, until it was handed over", async () => {
  const [first, second] = [await closedCall(), await closedCall()];
  const { principal } = first;
  const twin = async (who = principal, session = "s", digest = "d") =>
    (await store.findTwin(who, session, digest))?.call;
  expect(await twin()).toBeUndefined();
  await owed.keep(first, "s", "d");
  expect(await twin()).toBe(first.call);
  expect(await twin({ ...principal, id: "other" })).toBeUndefined();
  expect(await twin({ ...principal, tenant: "evil" })).toBeUndefined();
  expect(await twin(principal, "t")).toBeUndefined();
  expect(await twin(principal, "s", "e")).toBeUndefined();
  await owed.settle("evil", [first.call]);
  await owed.keep(second, "s", "d");
  expect(await twin()).toBe(second.call);
  await owed.settle("acme", [second.call, first.call]);
  expect(await twin()).toBeUndefined();
});

it("after a day the same request is a new one, and what nobody came back for goes", async () => {
  const [first, second] = [await closedCall(), await closedCall()];
  await owed.keep(first, "s", "old");
  await database.query("update paraph.owed set at = at - interval '25 h'");
  expect(await store.findTwin(first.principal, "s", "old")).toBeUndefined();
  await owed.keep(second, "s", "new");
  expect(await database.query("select call from paraph.owed")).toEqual([{ call: second.call }]);
});
