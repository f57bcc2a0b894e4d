import { afterAll, expect, it } from "vitest";
import { testDatabase } from "../../../../test/database.ts";
import { beginLife, connect, PostgresStore, progressIn, provision } from "./index.ts";
import { begun, closing, intending, newCall } from "./test-call.ts";

const database = await testDatabase();
const db = await connect(database.url);
const life = await beginLife(database.url);
const store = new PostgresStore(db.app, life.number);
afterAll(async () => {
  await life.end();
  await db.close();
});
await provision(database.ownerUrl, (p) => p.tenant("acme"));

const progress = progressIn(db.app);
const said = { attempt: 2, message: "m", output: "o", putOut: 1 };

it("progress is kept while the call acts, raised by every word, and gone when it is closed", async () => {
  const call = newCall("acme");
  await store.open(call);
  await progress.write(call, said);
  expect(await progress.read(call)).toEqual({ epoch: 1, said: null });
  await store.commit(intending(call));
  await progress.write(call, said);
  await progress.write(call, { ...said, fraction: 0.5 });
  expect(await progress.read(call)).toEqual({
    epoch: 2,
    said: { ...said, revision: 2, fraction: 0.5 },
  });
  // An attempt that was left behind.
  await progress.write(call, { ...said, attempt: 1, message: "late" });
  expect((await progress.read(call))?.said).toMatchObject({ attempt: 2, message: "m", revision: 2 });
  await store.commit(closing(call));
  await progress.write(call, said);
  expect(await progress.read(call)).toEqual({ epoch: 3, said: null });
  expect(await progress.read({ tenant: "busy", call: call.call })).toBeUndefined();
});

it("progress and a closing at the same time leave nothing behind, whichever comes first", async () => {
  const calls = Array.from({ length: 20 }, () => newCall("acme", begun()));
  await Promise.all(calls.map((call) => store.open(call)));
  await Promise.all(
    calls.flatMap((call) => [progress.write(call, said), store.commit(closing(call, { epoch: 1 }))]),
  );
  expect(await database.query("select call from paraph.progress")).toEqual([]);
});
