import type { Call } from "../../call.ts";
import type { NewApproval } from "../../store.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute, type StoreFixture } from "./store-fixture.ts";

/** [P15] Tests that only the store's clock decides whether a round takes votes or has expired. */
export const roundSuite: ConformanceSuite = (prove, expect) => {
  prove("a vote is recorded, and a voter's newer vote replaces the older", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    const first = await bench.createVote("ana", "deny");
    const second = await bench.createVote("ana");
    const third = { ...(await bench.createVote("bo")), groups: ["ops", "eng"] };
    for (const vote of [first, second, third])
      expect(await bench.commitCurrent(call.call, toVoteTransition(ask, vote))).toMatchObject({
        kind: "done",
      });
    const { approval } = await bench.load(call.call);
    expect(sortVotes(approval?.votes)).toEqual([second, third]);
    expect(approval?.status).toBe("open");
  });

  prove("[P15] a vote after the round's end is untimely and writes nothing", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    await bench.harness.advanceClock(10 * minute);
    const move = {
      ...toVoteTransition(ask, await bench.createVote("ana")),
      events: [await bench.createEvent("voted")],
    };
    expect(await bench.commit(call, move)).toEqual({ kind: "untimely" });
    expect(await bench.load(call.call)).toEqual(call);
  });

  prove("[P15] an expiry before the round's end is untimely, after it done", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    const move = {
      ...(await bench.createClosing()),
      closeRound: { approval: ask.id, status: "expired" },
    } as const;
    await bench.harness.advanceClock(9 * minute);
    expect(await bench.commit(call, move)).toEqual({ kind: "untimely" });
    expect(await bench.load(call.call)).toEqual(call);
    await bench.harness.advanceClock(minute);
    expect(await bench.commit(call, move)).toMatchObject({ kind: "done" });
    expect((await bench.load(call.call)).approval?.status).toBe("expired");
  });

  for (const status of ["approved", "denied"] as const) {
    prove(`[P15] a round is ${status} only while it is open and unexpired`, async (bench) => {
      const { call, ask } = await openAskedCall(bench);
      const closeRound = { approval: ask.id, status };
      await bench.commit(call, { closeRound });
      expect((await bench.load(call.call)).approval?.status).toBe(status);
      expect(await bench.commitCurrent(call.call, { closeRound })).toEqual({ kind: "untimely" });
      expect(
        await bench.commitCurrent(call.call, toVoteTransition(ask, await bench.createVote("ana"))),
      ).toEqual({ kind: "untimely" });
      const late = await openAskedCall(bench);
      await bench.harness.advanceClock(10 * minute);
      const lateClose = { closeRound: { approval: late.ask.id, status } };
      expect(await bench.commit(late.call, lateClose)).toEqual({ kind: "untimely" });
    });
  }

  prove("[P5] an open or an approved round can be voided, a denied one cannot", async (bench) => {
    const voiding = (ask: NewApproval) => ({ closeRound: { approval: ask.id, status: "void" } as const });
    const open = await openAskedCall(bench);
    expect(await bench.commit(open.call, voiding(open.ask))).toMatchObject({ kind: "done" });
    expect((await bench.load(open.call.call)).approval?.status).toBe("void");

    const approved = await openAskedCall(bench);
    await bench.commit(approved.call, { closeRound: { approval: approved.ask.id, status: "approved" } });
    await bench.harness.advanceClock(20 * minute);
    expect(await bench.commitCurrent(approved.call.call, voiding(approved.ask))).toMatchObject({
      kind: "done",
    });

    const denied = await openAskedCall(bench);
    await bench.commit(denied.call, { closeRound: { approval: denied.ask.id, status: "denied" } });
    expect(await bench.commitCurrent(denied.call.call, voiding(denied.ask))).toEqual({ kind: "untimely" });
  });

  prove("[P5] voiding one round and opening the next is one transaction", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    await bench.commitCurrent(call.call, toVoteTransition(ask, await bench.createVote("ana")));
    const next = await bench.createRound(2);
    await bench.commitCurrent(call.call, {
      state: "asking",
      ask: next,
      closeRound: { approval: ask.id, status: "void" },
    });
    const after = await bench.load(call.call);
    expect(after.approval).toEqual({ ...next, status: "open", votes: [] });
    expect(await bench.store.findByApproval(bench.tenant, ask.id)).toEqual(after);
    expect(await bench.store.findByApproval(bench.tenant, next.id)).toEqual(after);
    expect(await bench.commitCurrent(call.call, toVoteTransition(ask, await bench.createVote("bo")))).toEqual(
      { kind: "untimely" },
    );
  });

  prove("[fence] a stale vote is lost, even when it would be untimely too", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    await bench.commit(call, { state: "asking" });
    await bench.harness.advanceClock(10 * minute);
    expect(await bench.commit(call, toVoteTransition(ask, await bench.createVote("ana")))).toEqual({
      kind: "lost",
    });
  });

  prove("[fence] of ten closing votes at once exactly one closes the round", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    const people = Array.from({ length: 10 }, (_, index) => `person-${index}`);
    for (const id of people) await bench.harness.addPrincipal({ tenant: bench.tenant, id, kind: "person" });
    const votes = await Promise.all(people.map((id) => bench.createVote(id)));
    const closeRound = { approval: ask.id, status: "approved" } as const;
    const results = await Promise.all(
      votes.map((vote) => bench.commit(call, { ...toVoteTransition(ask, vote), state: "ready", closeRound })),
    );
    expect(results.filter(({ kind }) => kind === "done").length).toBe(1);
    const { approval } = await bench.load(call.call);
    expect([approval?.status, approval?.votes.length]).toEqual(["approved", 1]);
  });
};

async function openAskedCall(bench: StoreFixture): Promise<{ call: Call; ask: NewApproval }> {
  for (const id of ["ana", "bo"])
    await bench.harness.addPrincipal({ tenant: bench.tenant, id, kind: "person" });
  const ask = await bench.createRound();
  return { ask, call: await bench.open({ state: "asking", ask, nextAt: ask.expiresAt }) };
}

const toVoteTransition = (ask: NewApproval, vote: Awaited<ReturnType<StoreFixture["createVote"]>>) =>
  ({ state: "asking", vote: { approval: ask.id, vote } }) as const;

const sortVotes = (votes: readonly { by: string }[] = []) =>
  [...votes].sort((a, b) => (a.by < b.by ? -1 : 1));
