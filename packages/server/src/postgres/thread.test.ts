import { afterAll, expect, it } from "vitest";
import { testDatabase } from "../../../../test/database.ts";
import { beginLife, connect, PostgresStore, provision, threadIn } from "./index.ts";
import { newCall } from "./test-call.ts";

const database = await testDatabase();
const db = await connect(database.url);
const life = await beginLife(database.url);
afterAll(async () => {
  await life.end();
  await db.close();
});

await provision(database.ownerUrl, async (p) => {
  for (const tenant of ["red", "blue"]) {
    await p.tenant(tenant);
    await p.principal({ tenant, id: "bot", kind: "agent" });
  }
});
const store = new PostgresStore(db.app, life.number);
const thread = threadIn(db.app);

async function aCall(tenant = "red"): Promise<string> {
  const opening = newCall(tenant);
  await store.open(opening);
  return opening.call;
}

const saying = (call: string, id: string, text = "why so much?") =>
  ({ id, call, by: "ana", kind: "question", text, salt: "00" }) as const;

it("what is said stands in the order it was said in", async () => {
  const call = await aCall();
  const { changed, message } = await thread.append("red", saying(call, "m1"));
  expect([changed, message]).toMatchObject([
    "done",
    { id: "m1", seq: 1, by: "ana", kind: "question", text: "why so much?" },
  ]);
  await thread.append("red", { ...saying(call, "m2", "two invoices"), by: "bot", kind: "answer" });
  expect(await thread.list("red", call, { limit: 10 })).toMatchObject([{ id: "m1" }, { id: "m2", seq: 2 }]);
  expect(await thread.list("red", call, { limit: 1 })).toEqual([message]);
  expect(await thread.list("red", call, { after: 1, limit: 10 })).toMatchObject([{ text: "two invoices" }]);
});

it("[P1] sent again, it is said once; an id of another message is taken", async () => {
  const [call, other] = [await aCall(), await aCall()];
  const first = await thread.append("red", saying(call, "twice"));
  const again = await thread.append("red", saying(call, "twice", "another text"));
  expect(again).toEqual({ changed: "already", message: first.message });
  expect(await thread.append("red", { ...saying(call, "twice"), by: "bo" })).toEqual({ changed: "taken" });
  expect(await thread.append("red", saying(other, "twice"))).toEqual({ changed: "taken" });
  expect(await thread.list("red", call, { limit: 10 })).toEqual([first.message]);
});

it("of 20 messages at once each has a place of its own", async () => {
  const call = await aCall();
  const all = Array.from({ length: 20 }, (_, index) => saying(call, `at-once-${index % 10}`));
  const answers = await Promise.all(all.map((message) => thread.append("red", message)));
  expect(answers.filter(({ changed }) => changed === "done").length).toBe(10);
  expect((await thread.list("red", call, { limit: 100 })).map(({ seq }) => seq)).toEqual([
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  ]);
});

it("[TRUST 10] a thread is its tenant's, and of a call that is there", async () => {
  const call = await aCall();
  await thread.append("red", saying(call, "ours"));
  expect(await thread.list("blue", call, { limit: 10 })).toEqual([]);
  expect(await thread.append("blue", saying(call, "theirs"))).toEqual({ changed: "unknown" });
  expect(await thread.append("red", saying("call_none", "nowhere"))).toEqual({ changed: "unknown" });
});

it("[TRUST 5] any text comes back to the letter, and what was erased comes back without it", async () => {
  const call = await aCall();
  const text = 'nul \u0000, bidi \u202e, "quotes", \\u0000, 😀\r\n';
  await thread.append("red", saying(call, "odd", text));
  expect(await thread.list("red", call, { limit: 1 })).toMatchObject([{ text }]);
  await database.query("update paraph.message set salt = null, body = null where id = 'odd'");
  const [erased] = await thread.list("red", call, { limit: 1 });
  expect([erased?.id, erased && "text" in erased]).toEqual(["odd", false]);
});
