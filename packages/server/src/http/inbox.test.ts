import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

describe("GET /v1/inbox", () => {
  const server = new TestServer();
  beforeAll(() => server.start());
  afterAll(() => server.stop());

  it("lists open approvals, the soonest to expire first, page by page, with the reader's role and the risk", async () => {
    for (const payment of ["pay_1", "pay_2", "pay_3"])
      await server.call("billing.refund", { payment, cents: 1250 });
    const { body: first } = await server.get("/v1/inbox?limit=2", "bo");
    const { body: rest } = await server.get(`/v1/inbox?limit=2&after=${first.next}`, "bo");
    const items = [...first.items, ...rest.items];
    expect(items).toHaveLength(3);
    const times = items.map(({ expiresAt }) => Date.parse(expiresAt));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(items[0]).toMatchObject({
      headline: "Refund €12.50 of •••",
      capability: "billing.refund",
      principal: { id: "bot", owner: "ana" },
      risk: "high",
      effect: "write",
      votes: 0,
      voter: "approver",
    });
    const { body: own } = await server.get("/v1/inbox", "ana");
    expect(own.items.map(({ voter }: { voter: string }) => voter)).toEqual(Array(3).fill("own-call"));
  });

  it("[TRUST 9] shows nothing of another tenant, and nothing to agents", async () => {
    expect((await server.get("/v1/inbox", "eve")).body.items).toEqual([]);
    expect(await server.get("/v1/inbox", "bot")).toMatchObject({
      status: 403,
      body: { code: "approver-not-allowed" },
    });
  });

  it("rejects a cursor that is none", async () => {
    expect(await server.get("/v1/inbox?after=x", "bo")).toMatchObject({
      body: { code: "parameter-invalid" },
    });
  });
});
