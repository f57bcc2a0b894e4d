import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { type TestCallView, TestClient } from "./support/test-client.ts";

const cluster = await TestCluster.start({ engine: "restate" });
afterAll(() => cluster.stop());
const { oracle, database } = cluster;
const { url } = await cluster.startProcess("api,worker");
const client = new TestClient(url, cluster.keys);

beforeEach(() => {
  oracle.beforeEffect = async () => {};
  oracle.afterEffect = async () => {};
});

async function asked(name = "door", key?: string): Promise<TestCallView> {
  const { body } = await client.call("asked.keyed", { name }, key === undefined ? {} : { key });
  expect(body.waiting).toMatchObject({ for: "approval" });
  return body;
}

const digestOf = (call: TestCallView) => call.waiting!.approval!.digest;
const approvalOf = (call: TestCallView) => call.waiting!.approval!.id;

describe("an approval", () => {
  it("[P4] [P12] lets the call run, and the vote records the owner's confirmation", async () => {
    const call = await asked();
    expect((await client.approve(call)).status).toBe(200);
    expect(await client.waitForOutcome(call.call)).toMatchObject({
      outcome: { kind: "succeeded" },
      output: { done: true },
    });
    const [vote] = await database.query("select voter, standing from paraph.vote where approval = $1", [
      approvalOf(call),
    ]);
    expect(vote).toEqual({ voter: "owner", standing: "confirmation" });
  });

  it("[P4] that is denied prevents the effect of the call", async () => {
    const call = await asked();
    const answer = await client.decide(approvalOf(call), {
      decision: "deny",
      digest: digestOf(call),
      reason: "not today",
    });
    expect(answer.body).toMatchObject({ outcome: { kind: "denied" } });
    expect(oracle.listEffects(call.call)).toEqual([]);
  });

  it("[TRUST 4] counts one of 50 concurrent decisions, and the others get 409", async () => {
    const call = await asked();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        client.decide(approvalOf(call), { decision: n % 2 ? "approve" : "deny", digest: digestOf(call) }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    const { outcome } = await client.waitForOutcome(call.call);
    expect(oracle.listEffects(call.call)).toHaveLength(outcome?.kind === "succeeded" ? 1 : 0);
  });

  it("[P5] rejects a vote for another digest with 409 and stays undecided", async () => {
    const call = await asked();
    const answer = await client.decide(approvalOf(call), { decision: "approve", digest: "0".repeat(64) });
    expect(answer).toMatchObject({ status: 409, body: { code: "approval-changed" } });
    expect((await client.request("agent", "GET", `/v1/calls/${call.call}`)).body.state).toBe("asking");
  });

  it("[TRUST 12] rejects a vote of the agent, and of its owner if another person could vote", async () => {
    const call = await asked();
    const byAgent = await client.request("agent", "POST", `/v1/approvals/${approvalOf(call)}/decision`, {
      decision: "approve",
      digest: digestOf(call),
    });
    expect(byAgent.status).toBe(403);
    await database.query(
      "insert into paraph.principal (tenant, id, kind, signed_in_at) values ('acme', 'bea', 'person', now())",
    );
    expect((await client.approve(call)).status).toBe(403);
    await database.query("delete from paraph.principal where id = 'bea'");
    expect((await client.approve(call)).status).toBe(200);
    await client.waitForOutcome(call.call);
  });

  it("[P5] [TRUST 1] starts a new round if the basis changed, and the call runs only after the new approval", async () => {
    const call = await asked();
    oracle.basis += 1;
    await client.approve(call);
    const again = await until(
      call.call,
      (view) => view.waiting?.approval !== undefined && approvalOf(view) !== approvalOf(call),
    );
    expect(oracle.listEffects(call.call)).toEqual([]);
    expect((await client.approve(call)).status).toBe(409);
    await client.approve(again);
    expect(await client.waitForOutcome(call.call)).toMatchObject({ outcome: { kind: "succeeded" } });
    expect(oracle.listEffects(call.call)).toHaveLength(1);
  });

  it("[P5] [TRUST 1] is closed, and its call refused, if the stored input was changed while it was open", async () => {
    const call = await asked();
    // The update runs with the rights of the tables' owner.
    await database.query("update paraph.payload set body = $2 where call = $1 and name = 'input'", [
      call.call,
      '{"name":"vault"}',
    ]);
    expect(await client.approve(call)).toMatchObject({ status: 409, body: { code: "approval-closed" } });
    expect(await client.waitForOutcome(call.call)).toMatchObject({
      outcome: { kind: "refused", code: "seal-invalid" },
    });
    expect(oracle.listEffects(call.call)).toEqual([]);
  });

  it("[P4] [P15] expires by a timer without a vote, and a late vote gets 409", async () => {
    const { body: call } = await client.call("quick.keyed", { name: "door" });
    expect(await client.waitForOutcome(call.call)).toMatchObject({ outcome: { kind: "expired" } });
    expect((await client.approve(call)).status).toBe(409);
    expect(oracle.listEffects(call.call)).toEqual([]);
  });

  it("[P15] rejects a vote after the expiry with 409 by the database's clock, before any timer fires", async () => {
    const call = await asked();
    await database.query("update paraph.approval set expires_at = paraph.now() where id = $1", [
      approvalOf(call),
    ]);
    expect((await client.approve(call)).status).toBe(409);
    expect(oracle.listEffects(call.call)).toEqual([]);
  });

  it("[P1] the same idempotency key returns the same call, and with another input gets 409", async () => {
    const call = await asked("window", "key-1");
    const again = await client.call("asked.keyed", { name: "window" }, { key: "key-1" });
    expect(again.body.call).toBe(call.call);
    const other = await client.call("asked.keyed", { name: "roof" }, { key: "key-1" });
    expect(other).toMatchObject({ status: 409, body: { code: "key-reused" } });
  });
});

describe("locks", () => {
  it("20 calls on one lock key never overlap and leave no lock rows behind", async () => {
    let acting = 0;
    let max = 0;
    oracle.beforeEffect = async (verb) => {
      if (verb === "apply") max = Math.max(max, ++acting);
    };
    oracle.afterEffect = async (verb) => {
      if (verb === "apply") acting -= 1;
    };
    const calls = await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.call("free.keyed", { name: `n${n}`, lock: "door" })),
    );
    for (const { body } of calls)
      expect(await client.waitForOutcome(body.call)).toMatchObject({ outcome: { kind: "succeeded" } });
    expect(max).toBe(1);
    expect(await database.query("select * from paraph.lock")).toEqual([]);
    expect(await database.query("select * from paraph.lock_waiter")).toEqual([]);
  });
});

describe("a read that policy allows", () => {
  it("[P2] runs inline: the response has the outcome, and one transaction writes all its events", async () => {
    const { status, body } = await client.call("free.read", { name: "sky" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: "closed", outcome: { kind: "succeeded" }, output: { name: "sky" } });
    const rows = await database.query(
      "select count(distinct xmin::text) from paraph.event_row where call = $1",
      [body.call],
    );
    expect(Number(rows[0]?.count)).toBe(1);
  });
});

async function until(call: string, holds: (view: TestCallView) => boolean): Promise<TestCallView> {
  for (;;) {
    const { body } = await client.request("agent", "GET", `/v1/calls/${call}`, undefined, {
      prefer: "wait=1",
    });
    if (holds(body)) return body;
  }
}
