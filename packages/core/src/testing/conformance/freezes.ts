import { adminAdapter } from "../../freeze.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute, type StoreFixture } from "./store-fixture.ts";

/** [TRUST 25] Tests the kill switch. While a subject is frozen, the store accepts and begins none of its calls. */
export const freezeSuite: ConformanceSuite = (prove, expect) => {
  prove("[TRUST 33] a call lists its currently frozen voters as barred", async (fixture) => {
    const { harness, tenant } = fixture;
    for (const id of ["ana", "bo"]) await harness.addPrincipal({ tenant, id, kind: "person" });
    const now = await harness.now();
    const ask = { id: "ask_1", round: 1, digest: "d", guards: [], expiresAt: now + 10 * minute };
    const call = await fixture.open({ state: "asking", ask });
    for (const voter of ["ana", "bo"])
      await fixture.commitCurrent(call.call, {
        state: "asking",
        vote: { approval: ask.id, vote: await fixture.createVote(voter) },
      });
    expect("barredVoters" in (await fixture.load(call.call))).toBe(false);
    await harness.admin.freeze({ id: "f1", kind: "principal", subject: "ana", by: "bo" });
    expect((await fixture.load(call.call)).barredVoters).toEqual(["ana"]);
    await harness.admin.thaw("f1");
    expect("barredVoters" in (await fixture.load(call.call))).toBe(false);
  });

  prove(
    "[TRUST 33] a call lists people who acted in place of a currently frozen person as barred",
    async (fixture) => {
      const { harness, tenant } = fixture;
      for (const id of ["ana", "bo", "cy"]) await harness.addPrincipal({ tenant, id, kind: "person" });
      const call = await fixture.open({ state: "asking" });
      const told = [
        { kind: "voted", data: { round: 1, by: "bo", inPlaceOf: ["ana"] } },
        { kind: "voted", data: { round: 1, by: "cy" } },
        { kind: "reassigned", data: { round: 1, by: "dora", to: "cy", inPlaceOf: ["ana"] } },
      ] as const;
      for (const { kind, data } of told)
        await fixture.commitCurrent(call.call, {
          state: "asking",
          events: [await fixture.createEvent(kind, data)],
        });
      expect("barredVoters" in (await fixture.load(call.call))).toBe(false);
      await harness.admin.freeze({ id: "f1", kind: "principal", subject: "ana", by: "bo" });
      expect((await fixture.load(call.call)).barredVoters).toEqual(["bo", "dora"]);
    },
  );

  const subjects = (fixture: StoreFixture) => ({
    principal: "agent",
    capability: "bench.act",
    adapter: "bench",
    tenant: fixture.tenant,
  });

  for (const kind of ["principal", "capability", "adapter", "tenant"] as const) {
    prove(
      `[TRUST 25] a frozen ${kind} is neither let in nor let act, and is again once thawed`,
      async (fixture) => {
        const { admin } = fixture.harness;
        const call = await fixture.open({ gate: fixture.createGate() });
        await admin.freeze({ id: "f1", kind, subject: subjects(fixture)[kind], by: "ana" });
        const stopped = { kind: "stopped", stop: { reason: "frozen", freeze: { id: "f1", kind } } };
        expect(await fixture.openGated({})).toEqual(stopped);
        expect(await fixture.commit(call, await fixture.createIntent({}))).toEqual(stopped);
        expect(await fixture.load(call.call)).toEqual(call);
        await admin.thaw("f1");
        expect(await fixture.openGated({})).toEqual({ kind: "opened" });
        expect(await fixture.commit(call, await fixture.createIntent({}))).toMatchObject({ kind: "done" });
      },
    );

    if (kind === "tenant") continue;
    prove(`a frozen ${kind} is nobody else's matter`, async (fixture) => {
      await fixture.harness.admin.freeze({ id: "f1", kind, subject: "other", by: "ana" });
      expect(await fixture.openGated({})).toEqual({ kind: "opened" });
    });
  }

  prove(
    "only a freeze of the requester stops an administrative call, not one of its tenant or adapter",
    async (fixture) => {
      await fixture.harness.admin.freeze({ id: "f1", kind: "tenant", subject: fixture.tenant, by: "ana" });
      await fixture.harness.admin.freeze({ id: "f2", kind: "adapter", subject: adminAdapter, by: "ana" });
      const capability = `${adminAdapter}.thaw`;
      expect(await fixture.openGated({ adapter: adminAdapter }, { capability })).toEqual({ kind: "opened" });
    },
  );

  prove(
    "[TRUST 33] the calls of a frozen person are held until the thaw, including administrative ones",
    async (fixture) => {
      const { admin } = fixture.harness;
      const person = { tenant: fixture.tenant, id: "mal", kind: "person" } as const;
      await fixture.harness.addPrincipal(person);
      const capability = `${adminAdapter}.group_change`;
      const adapter = adminAdapter;
      const call = await fixture.open({ principal: person, capability });
      await admin.freeze({ id: "f1", kind: "principal", subject: "mal", by: "ana" });
      const stopped = {
        kind: "stopped",
        stop: { reason: "frozen", freeze: { id: "f1", kind: "principal" } },
      };
      expect(await fixture.openGated({ adapter }, { principal: person, capability })).toEqual(stopped);
      expect(await fixture.commit(call, await fixture.createIntent({ adapter }))).toEqual(stopped);
      expect(
        await fixture.commit(call, { state: "parked", nextAt: call.createdAt + 5 * minute }),
      ).toMatchObject({
        wake: [],
      });
      expect((await admin.thaw("f1")).map((wake) => wake.call)).toEqual([call.call]);
    },
  );

  prove("[TRUST 33] an agent's call on behalf of a frozen person is held until the thaw", async (fixture) => {
    const { admin } = fixture.harness;
    await fixture.harness.addPrincipal({ tenant: fixture.tenant, id: "mal", kind: "person" });
    const principal = { ...fixture.createAgent("agent"), onBehalfOf: "mal" };
    const [call, other] = [await fixture.open({ principal }), await fixture.open()];
    await admin.freeze({ id: "f1", kind: "principal", subject: "mal", by: "ana" });
    const stopped = { kind: "stopped", stop: { reason: "frozen", freeze: { id: "f1", kind: "principal" } } };
    expect(await fixture.openGated({}, { principal })).toEqual(stopped);
    expect(await fixture.commit(call, await fixture.createIntent({}))).toEqual(stopped);
    expect(
      await fixture.commit(call, { state: "parked", nextAt: call.createdAt + 5 * minute }),
    ).toMatchObject({
      wake: [],
    });
    expect(await fixture.commit(other, await fixture.createIntent({}))).toMatchObject({ kind: "done" });
    expect((await admin.thaw("f1")).map((wake) => wake.call)).toEqual([call.call]);
  });

  prove(
    "a freeze does not stop transitions without a gate, so the store always writes outcomes",
    async (fixture) => {
      const call = await fixture.open();
      await fixture.commit(call, await fixture.createIntent({}));
      await fixture.harness.admin.freeze({ id: "f1", kind: "tenant", subject: fixture.tenant, by: "ana" });
      expect(await fixture.close(call.call)).toMatchObject({ kind: "done" });
    },
  );

  prove("a freeze lists the intents in flight that it covers, and no others", async (fixture) => {
    const { admin } = fixture.harness;
    const other = fixture.createAgent("other");
    await fixture.harness.addPrincipal(other);
    const [mine, theirs, ended, idle] = [
      await fixture.open(),
      await fixture.open({ principal: other }),
      await fixture.open(),
      await fixture.open(),
    ];
    for (const { call } of [mine, theirs, ended])
      await fixture.commitCurrent(call, await fixture.createIntent({}));
    await fixture.commitCurrent(ended.call, { endAttempt: { attempt: 1, as: "succeeded" } });
    const administering = await fixture.open({ capability: `${adminAdapter}.freeze` });
    await fixture.commitCurrent(administering.call, await fixture.createIntent({ adapter: adminAdapter }));
    expect(idle.attempts).toEqual([]);
    const listed = async (id: string, kind: "principal" | "tenant", subject: string) =>
      (await admin.freeze({ id, kind, subject, by: "ana" }))
        .map(({ call, attempt }) => [call, attempt])
        .sort();
    const own = [mine, administering].map(({ call }) => [call, 1]).sort();
    expect(await listed("f1", "principal", "agent")).toEqual(own);
    const both = [mine, theirs].map(({ call }) => [call, 1]).sort();
    expect(await listed("f2", "tenant", fixture.tenant)).toEqual(both);
    expect(await listed("f2", "tenant", fixture.tenant)).toEqual(both);
  });

  prove("a thaw wakes the parked calls that no other freeze covers, and makes them due", async (fixture) => {
    const { admin } = fixture.harness;
    const other = fixture.createAgent("other");
    await fixture.harness.addPrincipal(other);
    await admin.freeze({ id: "f1", kind: "tenant", subject: fixture.tenant, by: "ana" });
    await admin.freeze({ id: "f2", kind: "principal", subject: "other", by: "ana" });
    const [mine, theirs, ready] = [
      await fixture.open(),
      await fixture.open({ principal: other }),
      await fixture.open(),
    ];
    const parked = { state: "parked", nextAt: (await fixture.harness.now()) + 5 * minute } as const;
    expect(await fixture.commit(mine, parked)).toEqual({ kind: "done", epoch: 2, wake: [] });
    await fixture.commit(theirs, parked);
    expect(ready.state).toBe("ready");
    expect(await admin.thaw("f1")).toEqual([{ tenant: fixture.tenant, call: mine.call, epoch: 2 }]);
    expect((await fixture.harness.sweep()).map(({ call }) => call)).toEqual([mine.call]);
    expect(await admin.thaw("f2")).toMatchObject([{ call: mine.call }, { call: theirs.call }]);
  });

  prove("a call that parks after the thaw wakes itself", async (fixture) => {
    const { admin } = fixture.harness;
    const call = await fixture.open();
    await admin.freeze({ id: "f1", kind: "adapter", subject: "bench", by: "ana" });
    expect((await fixture.commit(call, await fixture.createIntent({}))).kind).toBe("stopped");
    await admin.thaw("f1");
    const parked = await fixture.commit(call, { state: "parked", nextAt: call.createdAt + 5 * minute });
    expect(parked).toEqual({
      kind: "done",
      epoch: 2,
      wake: [{ tenant: fixture.tenant, call: call.call, epoch: 2 }],
    });
    expect((await fixture.harness.sweep()).map((wake) => wake.call)).toEqual([call.call]);
  });

  prove("repeating a freeze after its thaw does not freeze again", async (fixture) => {
    const { admin } = fixture.harness;
    const freeze = { id: "f1", kind: "tenant", subject: fixture.tenant, by: "ana" } as const;
    await admin.freeze(freeze);
    await admin.thaw("f1");
    await admin.freeze(freeze);
    expect(await fixture.openGated({})).toEqual({ kind: "opened" });
  });
};
