import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import {
  beginProcessLease,
  connectDatabase,
  createMessageStore,
  PostgresStore,
  provision,
} from "../index.ts";
import { createTestCall } from "./test-call.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
afterAll(async () => {
  await lease.end();
  await db.close();
});

await provision(database.ownerUrl, async (p) => {
  for (const tenant of ["red", "blue"]) {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
  }
});
const store = new PostgresStore(db.app, lease.number);
const thread = createMessageStore(db.app);

async function openTestCall(tenant = "red"): Promise<string> {
  const newCall = createTestCall(tenant);
  await store.open(newCall);
  return newCall.call;
}

const createMessage = (call: string, id: string, text = "why so much?") =>
  ({ id, call, by: "ana", kind: "question", text, salt: "00" }) as const;

it("what is said stands in the order it was said in", async () => {
  const call = await openTestCall();
  const { changed, message } = await thread.append("red", createMessage(call, "m1"));
  expect([changed, message]).toMatchObject([
    "done",
    { id: "m1", seq: 1, by: "ana", kind: "question", text: "why so much?" },
  ]);
  await thread.append("red", { ...createMessage(call, "m2", "two invoices"), by: "bot", kind: "answer" });
  expect(await thread.list("red", call, { limit: 10 })).toMatchObject([{ id: "m1" }, { id: "m2", seq: 2 }]);
  expect(await thread.list("red", call, { limit: 1 })).toEqual([message]);
  expect(await thread.list("red", call, { after: 1, limit: 10 })).toMatchObject([{ text: "two invoices" }]);
});

it("[P1] sent again, it is said once; an id of another message is taken", async () => {
  const [call, other] = [await openTestCall(), await openTestCall()];
  const first = await thread.append("red", createMessage(call, "twice"));
  const again = await thread.append("red", createMessage(call, "twice", "another text"));
  expect(again).toEqual({ changed: "already", message: first.message });
  expect(await thread.append("red", { ...createMessage(call, "twice"), by: "bo" })).toEqual({
    changed: "taken",
  });
  expect(await thread.append("red", createMessage(other, "twice"))).toEqual({ changed: "taken" });
  expect(await thread.list("red", call, { limit: 10 })).toEqual([first.message]);
});

it("of 20 messages at once each has a place of its own", async () => {
  const call = await openTestCall();
  const all = Array.from({ length: 20 }, (_, index) => createMessage(call, `at-once-${index % 10}`));
  const answers = await Promise.all(all.map((message) => thread.append("red", message)));
  expect(answers.filter(({ changed }) => changed === "done").length).toBe(10);
  expect((await thread.list("red", call, { limit: 100 })).map(({ seq }) => seq)).toEqual([
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  ]);
});

it("[TRUST 10] a thread is its tenant's, and of a call that is there", async () => {
  const call = await openTestCall();
  await thread.append("red", createMessage(call, "ours"));
  expect(await thread.list("blue", call, { limit: 10 })).toEqual([]);
  expect(await thread.append("blue", createMessage(call, "theirs"))).toEqual({ changed: "unknown" });
  expect(await thread.append("red", createMessage("call_none", "nowhere"))).toEqual({ changed: "unknown" });
});

it("[TRUST 5] any text comes back to the letter, and what was erased comes back without it", async () => {
  const call = await openTestCall();
  const text = 'nul \u0000, bidi \u202e, "quotes", \\u0000, 😀\r\n';
  await thread.append("red", createMessage(call, "odd", text));
  expect(await thread.list("red", call, { limit: 1 })).toMatchObject([{ text }]);
  await database.query("update paraph.message set salt = null, body = null where id = 'odd'");
  const [erased] = await thread.list("red", call, { limit: 1 });
  expect([erased?.id, erased && "text" in erased]).toEqual(["odd", false]);
});

it("[P2] while people are asked, a message and the event that names it are there together, or neither is", async () => {
  const newCall = createTestCall("red", { state: "asking" });
  await store.open(newCall);
  const { tenant, call } = newCall;
  const said = async () =>
    (await store.load({ tenant, call }))?.events.filter(({ kind }) => kind === "commented");
  const { message } = await thread.append("red", createMessage(call, "on-record"));
  await thread.append("red", createMessage(call, "on-record"));
  expect(await said()).toEqual([
    { seq: 2, kind: "commented", at: message!.at, data: { message: "on-record", by: "ana", as: "question" } },
  ]);
  const [{ count } = { count: 0 }] = await database.query(
    "select count(distinct xmin::text)::int from (select xmin from paraph.message where call = $1 union all select xmin from paraph.event where call = $1 and seq = 2) written",
    [call],
  );
  expect(count).toBe(1);
  // [fence] A reader of the earlier call must notice that there is a new message.
  const stale = { tenant, call, epoch: 1, state: "ready", nextAt: newCall.nextAt, events: [] } as const;
  expect(await store.commit(stale)).toEqual({ kind: "lost" });
});

it("[fence] what is said of a call that moves is no event of it, and costs its segment nothing", async () => {
  const newCall = createTestCall("red");
  await store.open(newCall);
  const { tenant, call } = newCall;
  await thread.append("red", createMessage(call, "beside"));
  expect(await store.load({ tenant, call })).toMatchObject({ epoch: 1, events: [{ kind: "accepted" }] });
});
