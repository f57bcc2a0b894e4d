import { describe, expect, it } from "vitest";
import { createMailbox } from "../../../../../test/support/mailbox.ts";
import { createPerson, testAgent, testTenant } from "../../../../../test/support/test-pipeline.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { probeAgain, resolveUnknown } from "../execution/resolve.ts";
import { decide } from "./decide.ts";
import { withdrawCall } from "./withdraw.ts";

const hour = 3_600_000;

describe("an edit", () => {
  it("[P6] creates a successor with the old deadline and no votes; the superseded call has no effect [P4]", async () => {
    const { ask, edit, advance, decide, world, load, clock } = await createMailbox();
    const old = await ask();
    await clock.advance(hour);
    const { call, superseded } = await edit(old, { to: "b", n: 2 });
    expect(superseded).toMatchObject({
      outcome: { kind: "superseded", code: "edited" },
      approval: { status: "void" },
    });
    expect(superseded.events.at(-1)?.data).toMatchObject({ successor: call.call, editedBy: "ana" });
    expect(call).toMatchObject({
      supersedes: old.call,
      editedBy: "ana",
      state: "asking",
      deadline: old.deadline,
    });
    expect(call.approval).toMatchObject({ round: 1, votes: [] });
    expect((await load(old)).payloads.reason?.value).toBe("typo");
    await expect(decide(old, "approve")).rejects.toMatchObject({ code: "approval-closed" });
    const approved = await decide(call, "approve", createPerson("bo"));
    expect(await advance(approved)).toMatchObject({ outcome: { kind: "succeeded" } });
    // The edit keeps types, so the number is still a number.
    expect(world.effects).toEqual([{ to: "b", n: 2 }]);
  });

  it("[TRUST 14] must satisfy contract and policy like any call; a rejected edit leaves the old approval open", async () => {
    const { ask, edit, load } = await createMailbox();
    const old = await ask();
    await expect(edit(old, { to: "b", n: "2" })).rejects.toMatchObject({ code: "input-invalid" });
    await expect(edit(old, { to: "nobody", n: 2 })).rejects.toMatchObject({ code: "edit-refused" });
    await expect(edit(old, { to: "b", n: 2 }, { editor: testAgent })).rejects.toMatchObject({
      code: "approver-not-allowed",
    });
    await expect(edit(old, { to: "b", n: 2 }, { digest: "0".repeat(64) })).rejects.toMatchObject({
      code: "approval-changed",
    });
    expect(await load(old)).toMatchObject({ state: "asking", approval: { status: "open" } });
  });

  it("[TRUST 13] succeeds for only one of two concurrent editors and leaves one successor", async () => {
    const { ask, edit, store } = await createMailbox();
    const old = await ask();
    const both = await Promise.allSettled([edit(old, { to: "b", n: 2 }), edit(old, { to: "c", n: 3 })]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(store.calls().filter(({ supersedes }) => supersedes === old.call)).toHaveLength(1);
  });
});

describe("an approver may also", () => {
  it("return a call with instructions, which are required and become its reason", async () => {
    const { ask, decide } = await createMailbox();
    const call = await ask();
    await expect(decide(call, "return")).rejects.toMatchObject({ code: "input-invalid" });
    const returned = await decide(call, "return", createPerson("ana"), "Use the billing address.");
    expect(returned).toMatchObject({ outcome: { kind: "denied", code: "returned" } });
    expect(returned.payloads.reason?.value).toBe("Use the billing address.");
  });

  it("change a vote until the round is decided", async () => {
    const { store, ports } = await createMailbox();
    const two = { ...ports, policy: createPlainPolicy({ "mail.send": { ask: 2 } }) };
    const { call } = await admit(
      { principal: testAgent, capability: "mail.send", input: { to: "a", n: 1 } },
      two,
    );
    const vote = (voter: string, decision: "approve" | "deny") =>
      decide(
        { approval: call.approval!.id, digest: call.approval!.digest, voter: createPerson(voter), decision },
        two,
      );
    await vote("ana", "approve");
    // A repeated approval changes nothing, so that a receipt does not list the same person twice.
    expect((await vote("ana", "approve")).call.state).toBe("asking");
    expect((await store.load(call))?.events.filter(({ kind }) => kind === "voted")).toHaveLength(1);
    expect((await vote("ana", "deny")).call.outcome).toMatchObject({ kind: "denied" });
    expect((await store.load(call))?.approval?.votes).toMatchObject([{ by: "ana", decision: "deny" }]);
  });

  it("vote as a delegate with the other person's groups, but never as the delegate of the agent's owner", async () => {
    const { store, ports } = await createMailbox();
    const set = ports.policy.current(testTenant);
    const guard = { ...set.guards.get("mail.send")!, group: "dba" };
    const policy = { ...ports.policy, current: () => ({ ...set, guards: new Map([["mail.send", guard]]) }) };
    const request = { principal: testAgent, capability: "mail.send", input: { to: "a", n: 1 } };
    const { call } = await admit(request, { ...ports, policy });
    const { id: approval, digest } = call.approval!;
    const standingInFor = (absent: string) => {
      const delegationsTo = async () => [{ person: absent, groups: ["dba"] }];
      const own = { ...ports, store: { ...store.startProcess(), delegationsTo } };
      return decide({ approval, digest, voter: createPerson("bo"), decision: "approve" }, own);
    };
    await expect(standingInFor("owner")).rejects.toMatchObject({ code: "approver-not-allowed" });
    expect((await standingInFor("dora")).call).toMatchObject({
      state: "ready",
      approval: { votes: [{ by: "bo", groups: ["dba"] }] },
    });
  });
});

it("[P1] the events of a call that waits for approval are in the order of their times", async () => {
  const { ports } = await createMailbox();
  let now = ports.clock.now();
  const clock = { ...ports.clock, now: () => ++now };
  const request = { principal: testAgent, capability: "mail.send", input: { to: "a", n: 1 } };
  const { call } = await admit(request, { ...ports, clock });
  const times = call.events.map(({ at }) => at);
  expect(call.events.map(({ kind }) => kind)).toContain("asked");
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

describe("the requester", () => {
  it("may withdraw a call before it runs; the call ends as cancelled and can no longer be approved", async () => {
    const { ask, ports, decide, advance, world } = await createMailbox();
    const call = await ask();
    const stranger = { tenant: testTenant, id: "other", kind: "agent" } as const;
    await expect(withdrawCall({ call: call.call, by: stranger }, ports)).rejects.toMatchObject({
      code: "call-unknown",
    });
    const { call: gone } = await withdrawCall(
      { call: call.call, by: testAgent, reason: "not needed" },
      ports,
    );
    expect(gone).toMatchObject({
      outcome: { kind: "cancelled", code: "withdrawn" },
      approval: { status: "void" },
    });
    await expect(decide(call, "approve")).rejects.toMatchObject({ code: "approval-closed" });
    const done = await advance(await decide(await ask(), "approve"));
    await expect(withdrawCall({ call: done.call, by: testAgent }, ports)).rejects.toMatchObject({
      code: "call-closed",
    });
    expect(world.effects).toHaveLength(1);
  });
});

describe("approval deadlines", () => {
  const escalation = {
    low: [],
    normal: [],
    high: [{ afterMs: hour }, { afterMs: 2 * hour, group: "leads" }],
    critical: [],
  };

  it("trigger a reminder, then an escalation, and end the call as expired, never as allowed", async () => {
    const { ask, advance, clock, load } = await createMailbox({ settings: { escalation } });
    const call = await ask();
    expect(call.nextAt).toBe(clock.now() + hour);
    clock.advance(hour);
    expect((await advance(call)).nextAt).toBe(clock.now() + hour);
    clock.advance(hour);
    const twice = await advance(call);
    expect(twice.events.slice(-2)).toMatchObject([
      { kind: "reminded" },
      { kind: "escalated", data: { group: "leads" } },
    ]);
    expect(twice.nextAt).toBe(call.approval!.expiresAt);
    expect(await advance(call)).toMatchObject({ state: "asking", epoch: twice.epoch });
    clock.advance(2 * hour);
    expect((await advance(call)).outcome).toMatchObject({ kind: "expired" });
    expect((await load(call)).approval?.status).toBe("expired");
  });

  it("[P5] an approval that expires during a freeze starts a new round when it expires, not at the thaw", async () => {
    const { ask, decide, advance, store, clock } = await createMailbox();
    const call = await ask();
    store.freeze(testTenant, { id: "f1", kind: "tenant", subject: testTenant, by: "ana" });
    await decide(call, "approve");
    const votedAt = clock.now();
    const parked = await advance(call);
    expect(parked).toMatchObject({ state: "parked", nextAt: votedAt + hour / 6 });
    await clock.advance(hour - 60_000);
    expect(await advance(call)).toMatchObject({ state: "parked", nextAt: votedAt + hour });
    await clock.advance(60_001);
    expect(await advance(call)).toMatchObject({ state: "asking", approval: { round: 2 } });
  });
});

describe("an unknown outcome", () => {
  const unknown = async () => {
    const all = await createMailbox();
    all.world.lose = true;
    const call = await all.advance(await all.decide(await all.ask(), "approve"));
    expect(call.outcome?.kind).toBe("unknown");
    all.world.lose = false;
    return { ...all, call };
  };

  it("[P7] keeps its locks until a person resolves it, once and with a reason; then the queued call continues", async () => {
    const { call, ask, advance, decide, ports, load } = await unknown();
    const behind = await advance(await decide(await ask(), "approve"));
    expect(behind.state).toBe("queued");
    const told = {
      call: call.call,
      by: createPerson("ana"),
      finding: "not-happened",
      reason: "The recipient has nothing.",
    } as const;
    await expect(resolveUnknown({ ...told, reason: " " }, ports)).rejects.toMatchObject({
      code: "input-invalid",
    });
    await expect(resolveUnknown({ ...told, by: testAgent }, ports)).rejects.toMatchObject({
      code: "approver-not-allowed",
    });
    const { wakes } = await resolveUnknown(told, ports);
    expect(wakes.map((wake) => wake.call)).toEqual([behind.call]);
    await expect(resolveUnknown(told, ports)).rejects.toMatchObject({ code: "not-unknown" });
    expect(await load(call)).toMatchObject({
      outcome: { kind: "unknown" },
      resolution: { finding: "not-happened", by: "ana", how: "person" },
    });
    expect(await advance(behind)).toMatchObject({ outcome: { kind: "succeeded" } });
  });

  it.each([
    ["present", "happened"],
    ["absent", "not-happened"],
    ["unsure", "unsure"],
  ] as const)("can be probed again: %s means %s", async (there, found) => {
    const { call, world, ports, load } = await unknown();
    world.there = there;
    expect(await probeAgain({ call: call.call, by: createPerson("ana") }, ports)).toMatchObject({ found });
    expect((await load(call)).resolution?.finding).toBe(found === "unsure" ? undefined : found);
  });
});

describe("a flood of requests", () => {
  it("[TRUST 19] after 2 denials a principal may request approval once a minute, and the error says so", async () => {
    const { ask, decide, clock } = await createMailbox({ settings: { maxDenials: 2 } });
    for (let denial = 0; denial < 2; denial += 1) await decide(await ask(), "deny");
    await ask();
    await expect(ask()).rejects.toMatchObject({
      code: "limit-reached",
      limit: "after-denials",
      message: expect.stringContaining("once a minute"),
    });
    await clock.advance(60_000);
    await ask();
  });

  it("[TRUST 19] a duplicate request in the same session joins the call that waits for approval", async () => {
    const { ask, ports, store } = await createMailbox();
    const session = { session: "chat-1" };
    const first = await ask({ session });
    const again = await admit(
      { principal: testAgent, capability: "mail.send", input: { to: "a", n: 1 }, session },
      ports,
    );
    expect(again).toMatchObject({ joinedDuplicate: true, known: true, call: { call: first.call } });
    await ask({ session, input: { to: "a", n: 2 } });
    await ask({ session: { session: "chat-2" } });
    await ask({ session, key: "named" });
    expect(store.calls()).toHaveLength(4);
  });
});
