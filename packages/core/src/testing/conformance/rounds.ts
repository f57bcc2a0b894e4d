import type { Call } from "../../call.ts";
import type { NewApproval } from "../../store.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute, type StoreFixture } from "./store-fixture.ts";

/** [P15] Tests that only the store's clock decides whether a round takes votes or has expired. */
export const roundSuite: ConformanceSuite = (prove, expect) => {
  prove("a vote is recorded, and a voter's newer vote replaces the older", async (fixture) => {
    const { call, ask } = await openAskedCall(fixture);
    const first = await fixture.createVote("ana", "deny");
    const second = await fixture.createVote("ana");
    const third = { ...(await fixture.createVote("bo")), groups: ["ops", "eng"] };
    for (const vote of [first, second, third])
      expect(await fixture.commitCurrent(call.call, toVoteTransition(ask, vote))).toMatchObject({
        kind: "done",
      });
    const { approval } = await fixture.load(call.call);
    expect(sortVotes(approval?.votes)).toEqual([second, third]);
    expect(approval?.status).toBe("open");
  });

  prove("[P15] a vote after the round's end is untimely and writes nothing", async (fixture) => {
    const { call, ask } = await openAskedCall(fixture);
    await fixture.harness.advanceClock(10 * minute);
    const move = {
      ...toVoteTransition(ask, await fixture.createVote("ana")),
      events: [await fixture.createEvent("voted")],
    };
    expect(await fixture.commit(call, move)).toEqual({ kind: "untimely" });
    expect(await fixture.load(call.call)).toEqual(call);
  });

  prove("[P15] an expiry is untimely before the round's end and done after it", async (fixture) => {
    const { call, ask } = await openAskedCall(fixture);
    const move = {
      ...(await fixture.createClosing()),
      closeRound: { approval: ask.id, status: "expired" },
    } as const;
    await fixture.harness.advanceClock(9 * minute);
    expect(await fixture.commit(call, move)).toEqual({ kind: "untimely" });
    expect(await fixture.load(call.call)).toEqual(call);
    await fixture.harness.advanceClock(minute);
    expect(await fixture.commit(call, move)).toMatchObject({ kind: "done" });
    expect((await fixture.load(call.call)).approval?.status).toBe("expired");
  });

  for (const status of ["approved", "denied"] as const) {
    prove(`[P15] a round is ${status} only while it is open and unexpired`, async (fixture) => {
      const { call, ask } = await openAskedCall(fixture);
      const closeRound = { approval: ask.id, status };
      await fixture.commit(call, { closeRound });
      expect((await fixture.load(call.call)).approval?.status).toBe(status);
      expect(await fixture.commitCurrent(call.call, { closeRound })).toEqual({ kind: "untimely" });
      expect(
        await fixture.commitCurrent(call.call, toVoteTransition(ask, await fixture.createVote("ana"))),
      ).toEqual({ kind: "untimely" });
      const late = await openAskedCall(fixture);
      await fixture.harness.advanceClock(10 * minute);
      const lateClose = { closeRound: { approval: late.ask.id, status } };
      expect(await fixture.commit(late.call, lateClose)).toEqual({ kind: "untimely" });
    });
  }

  prove("[P5] an open or an approved round can be voided, a denied one cannot", async (fixture) => {
    const voiding = (ask: NewApproval) => ({ closeRound: { approval: ask.id, status: "void" } as const });
    const open = await openAskedCall(fixture);
    expect(await fixture.commit(open.call, voiding(open.ask))).toMatchObject({ kind: "done" });
    expect((await fixture.load(open.call.call)).approval?.status).toBe("void");

    const approved = await openAskedCall(fixture);
    await fixture.commit(approved.call, { closeRound: { approval: approved.ask.id, status: "approved" } });
    await fixture.harness.advanceClock(20 * minute);
    expect(await fixture.commitCurrent(approved.call.call, voiding(approved.ask))).toMatchObject({
      kind: "done",
    });

    const denied = await openAskedCall(fixture);
    await fixture.commit(denied.call, { closeRound: { approval: denied.ask.id, status: "denied" } });
    expect(await fixture.commitCurrent(denied.call.call, voiding(denied.ask))).toEqual({ kind: "untimely" });
  });

  prove("[P5] voiding one round and opening the next is one transaction", async (fixture) => {
    const { call, ask } = await openAskedCall(fixture);
    await fixture.commitCurrent(call.call, toVoteTransition(ask, await fixture.createVote("ana")));
    const next = await fixture.createRound(2);
    await fixture.commitCurrent(call.call, {
      state: "asking",
      ask: next,
      closeRound: { approval: ask.id, status: "void" },
    });
    const after = await fixture.load(call.call);
    expect(after.approval).toEqual({ ...next, status: "open", votes: [] });
    expect(await fixture.store.findByApproval(fixture.tenant, ask.id)).toEqual(after);
    expect(await fixture.store.findByApproval(fixture.tenant, next.id)).toEqual(after);
    expect(
      await fixture.commitCurrent(call.call, toVoteTransition(ask, await fixture.createVote("bo"))),
    ).toEqual({ kind: "untimely" });
  });

  prove("[fence] a stale vote is lost, even when it would be untimely too", async (fixture) => {
    const { call, ask } = await openAskedCall(fixture);
    await fixture.commit(call, { state: "asking" });
    await fixture.harness.advanceClock(10 * minute);
    expect(await fixture.commit(call, toVoteTransition(ask, await fixture.createVote("ana")))).toEqual({
      kind: "lost",
    });
  });

  prove("[fence] exactly one of ten concurrent closing votes closes the round", async (fixture) => {
    const { call, ask } = await openAskedCall(fixture);
    const people = Array.from({ length: 10 }, (_, index) => `person-${index}`);
    for (const id of people)
      await fixture.harness.addPrincipal({ tenant: fixture.tenant, id, kind: "person" });
    const votes = await Promise.all(people.map((id) => fixture.createVote(id)));
    const closeRound = { approval: ask.id, status: "approved" } as const;
    const results = await Promise.all(
      votes.map((vote) =>
        fixture.commit(call, { ...toVoteTransition(ask, vote), state: "ready", closeRound }),
      ),
    );
    expect(results.filter(({ kind }) => kind === "done").length).toBe(1);
    const { approval } = await fixture.load(call.call);
    expect([approval?.status, approval?.votes.length]).toEqual(["approved", 1]);
  });
};

async function openAskedCall(fixture: StoreFixture): Promise<{ call: Call; ask: NewApproval }> {
  for (const id of ["ana", "bo"])
    await fixture.harness.addPrincipal({ tenant: fixture.tenant, id, kind: "person" });
  const ask = await fixture.createRound();
  return { ask, call: await fixture.open({ state: "asking", ask, nextAt: ask.expiresAt }) };
}

const toVoteTransition = (ask: NewApproval, vote: Awaited<ReturnType<StoreFixture["createVote"]>>) =>
  ({ state: "asking", vote: { approval: ask.id, vote } }) as const;

const sortVotes = (votes: readonly { by: string }[] = []) =>
  [...votes].sort((a, b) => (a.by < b.by ? -1 : 1));
