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

it("messages are listed in the order in which they were appended", async () => {
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

it("[P1] a repeated message is stored once, and the id of another message is rejected as taken", async () => {
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

it("20 concurrent appends of 10 messages store each message once, with its own sequence number", async () => {
  const call = await openTestCall();
  const all = Array.from({ length: 20 }, (_, index) => createMessage(call, `at-once-${index % 10}`));
  const answers = await Promise.all(all.map((message) => thread.append("red", message)));
  expect(answers.filter(({ changed }) => changed === "done").length).toBe(10);
  expect((await thread.list("red", call, { limit: 100 })).map(({ seq }) => seq)).toEqual([
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  ]);
});

it("[TRUST 10] only the call's tenant can list or append messages, and only for a call that exists", async () => {
  const call = await openTestCall();
  await thread.append("red", createMessage(call, "ours"));
  expect(await thread.list("blue", call, { limit: 10 })).toEqual([]);
  expect(await thread.append("blue", createMessage(call, "theirs"))).toEqual({ changed: "unknown" });
  expect(await thread.append("red", createMessage("call_none", "nowhere"))).toEqual({ changed: "unknown" });
});

it("[TRUST 5] any text is returned unchanged, and an erased message is returned without its text", async () => {
  const call = await openTestCall();
  const text = 'nul \u0000, bidi \u202e, "quotes", \\u0000, 😀\r\n';
  await thread.append("red", createMessage(call, "odd", text));
  expect(await thread.list("red", call, { limit: 1 })).toMatchObject([{ text }]);
  await database.query("update paraph.message set salt = null, body = null where id = 'odd'");
  const [erased] = await thread.list("red", call, { limit: 1 });
  expect([erased?.id, erased && "text" in erased]).toEqual(["odd", false]);
});

it("[P2] while a call waits for approvers, a message and its event are written in one transaction", async () => {
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
    "select count(distinct xmin::text)::int from (select xmin from paraph.message where call = $1 union all select xmin from paraph.event_row where call = $1 and seq = 2) written",
    [call],
  );
  expect(count).toBe(1);
  // [fence] A process that read the call before the message must notice that there is a new message.
  const stale = { tenant, call, epoch: 1, state: "ready", nextAt: newCall.nextAt, events: [] } as const;
  expect(await store.commit(stale)).toEqual({ kind: "lost" });
});

it("[fence] a message about a call that does not wait for approvers adds no event and keeps the epoch", async () => {
  const newCall = createTestCall("red");
  await store.open(newCall);
  const { tenant, call } = newCall;
  await thread.append("red", createMessage(call, "beside"));
  expect(await store.load({ tenant, call })).toMatchObject({ epoch: 1, events: [{ kind: "accepted" }] });
});
