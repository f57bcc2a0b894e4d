import { adminAdapter } from "../../freeze.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute, type StoreFixture } from "./store-fixture.ts";

/** [TRUST 25] Tests the kill switch. While a subject is frozen, the store accepts and begins none of its calls. */
export const freezeSuite: ConformanceSuite = (prove, expect) => {
  prove("[TRUST 33] a call names those of its voters who are frozen now", async (bench) => {
    const { harness, tenant } = bench;
    for (const id of ["ana", "bo"]) await harness.addPrincipal({ tenant, id, kind: "person" });
    const now = await harness.now();
    const ask = { id: "ask_1", round: 1, digest: "d", guards: [], expiresAt: now + 10 * minute };
    const call = await bench.open({ state: "asking", ask });
    for (const voter of ["ana", "bo"])
      await bench.commitCurrent(call.call, {
        state: "asking",
        vote: { approval: ask.id, vote: await bench.createVote(voter) },
      });
    expect("barredVoters" in (await bench.load(call.call))).toBe(false);
    await harness.admin.freeze({ id: "f1", kind: "principal", subject: "ana", by: "bo" });
    expect((await bench.load(call.call)).barredVoters).toEqual(["ana"]);
    await harness.admin.thaw("f1");
    expect("barredVoters" in (await bench.load(call.call))).toBe(false);
  });

  prove(
    "[TRUST 33] a call names those who acted in the place of somebody who is frozen now",
    async (bench) => {
      const { harness, tenant } = bench;
      for (const id of ["ana", "bo", "cy"]) await harness.addPrincipal({ tenant, id, kind: "person" });
      const call = await bench.open({ state: "asking" });
      const told = [
        { kind: "voted", data: { round: 1, by: "bo", inPlaceOf: ["ana"] } },
        { kind: "voted", data: { round: 1, by: "cy" } },
        { kind: "handed-over", data: { round: 1, by: "dora", to: "cy", inPlaceOf: ["ana"] } },
      ] as const;
      for (const { kind, data } of told)
        await bench.commitCurrent(call.call, {
          state: "asking",
          events: [await bench.createEvent(kind, data)],
        });
      expect("barredVoters" in (await bench.load(call.call))).toBe(false);
      await harness.admin.freeze({ id: "f1", kind: "principal", subject: "ana", by: "bo" });
      expect((await bench.load(call.call)).barredVoters).toEqual(["bo", "dora"]);
    },
  );

  const subjects = (bench: StoreFixture) => ({
    principal: "agent",
    capability: "bench.act",
    adapter: "bench",
    tenant: bench.tenant,
  });

  for (const kind of ["principal", "capability", "adapter", "tenant"] as const) {
    prove(
      `[TRUST 25] a frozen ${kind} is neither let in nor let act, and is again once thawed`,
      async (bench) => {
        const { admin } = bench.harness;
        const call = await bench.open({ gate: bench.createGate() });
        await admin.freeze({ id: "f1", kind, subject: subjects(bench)[kind], by: "ana" });
        const stopped = { kind: "stopped", stop: { reason: "frozen", freeze: { id: "f1", kind } } };
        expect(await bench.openGated({})).toEqual(stopped);
        expect(await bench.commit(call, await bench.createIntent({}))).toEqual(stopped);
        expect(await bench.load(call.call)).toEqual(call);
        await admin.thaw("f1");
        expect(await bench.openGated({})).toEqual({ kind: "opened" });
        expect(await bench.commit(call, await bench.createIntent({}))).toMatchObject({ kind: "done" });
      },
    );

    if (kind === "tenant") continue;
    prove(`a frozen ${kind} is nobody else's matter`, async (bench) => {
      await bench.harness.admin.freeze({ id: "f1", kind, subject: "other", by: "ana" });
      expect(await bench.openGated({})).toEqual({ kind: "opened" });
    });
  }

  prove("what administers is frozen with its requester only", async (bench) => {
    await bench.harness.admin.freeze({ id: "f1", kind: "tenant", subject: bench.tenant, by: "ana" });
    await bench.harness.admin.freeze({ id: "f2", kind: "adapter", subject: adminAdapter, by: "ana" });
    const capability = `${adminAdapter}.thaw`;
    expect(await bench.openGated({ adapter: adminAdapter }, { capability })).toEqual({ kind: "opened" });
  });

  prove("[TRUST 33] what a frozen person asked for is held, administration too", async (bench) => {
    const { admin } = bench.harness;
    const person = { tenant: bench.tenant, id: "mal", kind: "person" } as const;
    await bench.harness.addPrincipal(person);
    const capability = `${adminAdapter}.group_change`;
    const adapter = adminAdapter;
    const call = await bench.open({ principal: person, capability });
    await admin.freeze({ id: "f1", kind: "principal", subject: "mal", by: "ana" });
    const stopped = { kind: "stopped", stop: { reason: "frozen", freeze: { id: "f1", kind: "principal" } } };
    expect(await bench.openGated({ adapter }, { principal: person, capability })).toEqual(stopped);
    expect(await bench.commit(call, await bench.createIntent({ adapter }))).toEqual(stopped);
    expect(await bench.commit(call, { state: "parked", nextAt: call.createdAt + 5 * minute })).toMatchObject({
      wake: [],
    });
    expect((await admin.thaw("f1")).map((wake) => wake.call)).toEqual([call.call]);
  });

  prove("[TRUST 33] what an agent asked for on behalf of a frozen person is held", async (bench) => {
    const { admin } = bench.harness;
    await bench.harness.addPrincipal({ tenant: bench.tenant, id: "mal", kind: "person" });
    const principal = { ...bench.createAgent("agent"), onBehalfOf: "mal" };
    const [call, other] = [await bench.open({ principal }), await bench.open()];
    await admin.freeze({ id: "f1", kind: "principal", subject: "mal", by: "ana" });
    const stopped = { kind: "stopped", stop: { reason: "frozen", freeze: { id: "f1", kind: "principal" } } };
    expect(await bench.openGated({}, { principal })).toEqual(stopped);
    expect(await bench.commit(call, await bench.createIntent({}))).toEqual(stopped);
    expect(await bench.commit(call, { state: "parked", nextAt: call.createdAt + 5 * minute })).toMatchObject({
      wake: [],
    });
    expect(await bench.commit(other, await bench.createIntent({}))).toMatchObject({ kind: "done" });
    expect((await admin.thaw("f1")).map((wake) => wake.call)).toEqual([call.call]);
  });

  prove("what moves on without a gate is not held up: outcomes are always written", async (bench) => {
    const call = await bench.open();
    await bench.commit(call, await bench.createIntent({}));
    await bench.harness.admin.freeze({ id: "f1", kind: "tenant", subject: bench.tenant, by: "ana" });
    expect(await bench.close(call.call)).toMatchObject({ kind: "done" });
  });

  prove("a freeze lists the intents in flight that it covers, and no others", async (bench) => {
    const { admin } = bench.harness;
    const other = bench.createAgent("other");
    await bench.harness.addPrincipal(other);
    const [mine, theirs, ended, idle] = [
      await bench.open(),
      await bench.open({ principal: other }),
      await bench.open(),
      await bench.open(),
    ];
    for (const { call } of [mine, theirs, ended])
      await bench.commitCurrent(call, await bench.createIntent({}));
    await bench.commitCurrent(ended.call, { endAttempt: { attempt: 1, as: "succeeded" } });
    const administering = await bench.open({ capability: `${adminAdapter}.freeze` });
    await bench.commitCurrent(administering.call, await bench.createIntent({ adapter: adminAdapter }));
    expect(idle.attempts).toEqual([]);
    const listed = async (id: string, kind: "principal" | "tenant", subject: string) =>
      (await admin.freeze({ id, kind, subject, by: "ana" }))
        .map(({ call, attempt }) => [call, attempt])
        .sort();
    const own = [mine, administering].map(({ call }) => [call, 1]).sort();
    expect(await listed("f1", "principal", "agent")).toEqual(own);
    const both = [mine, theirs].map(({ call }) => [call, 1]).sort();
    expect(await listed("f2", "tenant", bench.tenant)).toEqual(both);
    expect(await listed("f2", "tenant", bench.tenant)).toEqual(both);
  });

  prove("a thaw wakes the parked calls that nothing freezes any more, and makes them due", async (bench) => {
    const { admin } = bench.harness;
    const other = bench.createAgent("other");
    await bench.harness.addPrincipal(other);
    await admin.freeze({ id: "f1", kind: "tenant", subject: bench.tenant, by: "ana" });
    await admin.freeze({ id: "f2", kind: "principal", subject: "other", by: "ana" });
    const [mine, theirs, ready] = [
      await bench.open(),
      await bench.open({ principal: other }),
      await bench.open(),
    ];
    const parked = { state: "parked", nextAt: (await bench.harness.now()) + 5 * minute } as const;
    expect(await bench.commit(mine, parked)).toEqual({ kind: "done", epoch: 2, wake: [] });
    await bench.commit(theirs, parked);
    expect(ready.state).toBe("ready");
    expect(await admin.thaw("f1")).toEqual([{ tenant: bench.tenant, call: mine.call, epoch: 2 }]);
    expect((await bench.harness.sweep()).map(({ call }) => call)).toEqual([mine.call]);
    expect(await admin.thaw("f2")).toMatchObject([{ call: mine.call }, { call: theirs.call }]);
  });

  prove("a call that parks after the thaw wakes itself", async (bench) => {
    const { admin } = bench.harness;
    const call = await bench.open();
    await admin.freeze({ id: "f1", kind: "adapter", subject: "bench", by: "ana" });
    expect((await bench.commit(call, await bench.createIntent({}))).kind).toBe("stopped");
    await admin.thaw("f1");
    const parked = await bench.commit(call, { state: "parked", nextAt: call.createdAt + 5 * minute });
    expect(parked).toEqual({
      kind: "done",
      epoch: 2,
      wake: [{ tenant: bench.tenant, call: call.call, epoch: 2 }],
    });
    expect((await bench.harness.sweep()).map((wake) => wake.call)).toEqual([call.call]);
  });

  prove("a freeze that was thawed stays thawed when it is asked for again", async (bench) => {
    const { admin } = bench.harness;
    const freeze = { id: "f1", kind: "tenant", subject: bench.tenant, by: "ana" } as const;
    await admin.freeze(freeze);
    await admin.thaw("f1");
    await admin.freeze(freeze);
    expect(await bench.openGated({})).toEqual({ kind: "opened" });
  });
};
