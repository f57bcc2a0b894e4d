import { afterAll, beforeEach, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { connectDatabase, createMailRequestStore, provision } from "../index.ts";

const tenant = "acme";
const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const store = createMailRequestStore(db);
await provision(database.ownerUrl, async (p) => {
  await p.addTenant(tenant);
  for (const id of ["ana", "bo"]) await p.addPrincipal({ tenant, id, kind: "person" });
});
afterAll(() => db.close());
beforeEach(() => database.query("delete from paraph.mail_request"));

const open = (id: string, maxPerHour = 2, person = "ana") =>
  store.open({
    ...{ tenant, id, person, messageId: `<${id}@example.com>`, subject: "s", words: "close T-1" },
    code: undefined,
    maxPerHour,
  });
const setContact = (person: string, address: string) =>
  database.query("select paraph.contact_set($1, $2, 'mail', $3, 'administration')", [
    tenant,
    person,
    address,
  ]);

it("[TRUST 25] reads a limited number of mails of a person per hour, and answers only the first one above it", async () => {
  expect([await open("r1"), await open("r2"), await open("r3"), await open("r4")]).toEqual([
    ...["received", "received", "limited", "limited"],
  ]);
  expect(await open("r5", 2, "bo")).toBe("received");
  expect(await store.listDue(10)).toEqual([{ tenant, id: "r3" }]);
  expect(await store.find(tenant, "r4")).toMatchObject({
    state: "closed",
    code: "rate-limited",
    words: null,
  });
  await database.query("update paraph.mail_request set at = at - interval '61 minutes'");
  expect(await open("r6")).toBe("received");
});

it("[TRUST 4] records a mail once", async () => {
  expect([await open("r1"), await open("r1")]).toEqual(["received", "received"]);
  await store.recordMeaning({ tenant, id: "r1", round: 1 }, { state: "closed", code: "no-capability" });
  expect(await open("r1")).toBe("done");
  expect((await store.find(tenant, "r1"))?.words).toBeNull();
});

it("deletes the content of a request that expired, and sends no mail about it", async () => {
  await open("r1");
  await store.recordMeaning({ tenant, id: "r1", round: 1 }, { state: "plan", result: { plan: {} } });
  expect(await store.beginAttempt({ tenant, id: "r1" })).toMatchObject({ state: "plan", words: "close T-1" });
  await store.markSent({ tenant, id: "r1", round: 1, state: "plan" });
  expect(await store.listDue(10)).toEqual([]);
  await database.query(
    "update paraph.mail_request set expires_at = expires_at - interval '1 day', due_at = due_at - interval '1 day'",
  );
  expect(await store.listDue(10)).toEqual([{ tenant, id: "r1" }]);
  expect(await store.beginAttempt({ tenant, id: "r1" })).toBeUndefined();
  expect(await store.find(tenant, "r1")).toMatchObject({
    ...{ state: "closed", code: "expired", words: null, result: null, subject: null, messageId: null },
  });
});

it("does not record a mail of an earlier round as the mail of the next one", async () => {
  await open("r1");
  await store.recordMeaning({ tenant, id: "r1", round: 1 }, { state: "question", result: {} });
  const request = (await store.find(tenant, "r1"))!;
  expect(await store.beginRound(request, "reply1")).toBe(true);
  expect(await store.beginRound(request, "reply2")).toBe(false);
  await store.recordMeaning({ tenant, id: "r1", round: 2 }, { state: "question", result: {} });
  await store.markSent({ tenant, id: "r1", round: 1, state: "question" });
  expect(await store.listDue(10)).toEqual([{ tenant, id: "r1" }]);
});

it("[TRUST 3] finds the person of an address only if exactly one person has it", async () => {
  await setContact("ana", "Ana@example.com");
  expect(await store.findPerson(tenant, "ana@EXAMPLE.com")).toBe("ana");
  expect(await store.findPerson("other", "ana@example.com")).toBeUndefined();
  await setContact("bo", "ana@example.com");
  expect(await store.findPerson(tenant, "ana@example.com")).toBeUndefined();
});
