import type { ConformanceSuite } from "./harness.ts";

/** Tests the conditions that a store checks in the same transaction as an acceptance or an intent. */
export const gateSuite: ConformanceSuite = (prove, expect) => {
  prove("an open gate accepts a call and an intent", async (fixture) => {
    expect(await fixture.openGated({ policy: "sha256:any" })).toEqual({ kind: "opened" });
    const call = await fixture.open({ gate: fixture.createGate() });
    expect(await fixture.commit(call, await fixture.createIntent({}))).toMatchObject({
      kind: "done",
      epoch: 2,
    });
  });

  prove(
    "[P5] the store accepts no call and no intent under a policy set that is not in force",
    async (fixture) => {
      const early = await fixture.open({ gate: fixture.createGate({ policy: "one" }) });
      await fixture.harness.admin.publish("two");
      const stopped = { kind: "stopped", stop: { reason: "policy-changed" } };
      expect(await fixture.openGated({ policy: "one" })).toEqual(stopped);
      expect(await fixture.commit(early, await fixture.createIntent({ policy: "one" }))).toEqual(stopped);
      expect(await fixture.load(early.call)).toEqual(early);
      expect(await fixture.openGated({ policy: "two" })).toEqual({ kind: "opened" });
      expect(await fixture.commit(early, await fixture.createIntent({ policy: "two" }))).toMatchObject({
        kind: "done",
      });
      await fixture.harness.admin.publish("one");
      expect(await fixture.openGated({ policy: "one" })).toEqual({ kind: "opened" });
    },
  );

  prove("a call that names no policy set is not checked against one", async (fixture) => {
    await fixture.harness.admin.publish("two");
    expect(await fixture.openGated({})).toEqual({ kind: "opened" });
  });

  prove("a call that the gate stops writes nothing, and its key stays free", async (fixture) => {
    await fixture.harness.admin.publish("two");
    const newCall = await fixture.createCall({ gate: fixture.createGate({ policy: "one" }) });
    expect((await fixture.store.open(newCall)).kind).toBe("stopped");
    expect(await fixture.store.load(newCall)).toBe(undefined);
    expect(await fixture.store.findByKey(fixture.createAgent(), newCall.key)).toBe(undefined);
    expect(await fixture.store.open({ ...newCall, gate: fixture.createGate({ policy: "two" }) })).toEqual({
      kind: "opened",
    });
  });

  prove(
    "[P1] a used key returns its call before any gate is checked, and counts toward no limit",
    async (fixture) => {
      const limits = [fixture.createLimit({ max: 1 })];
      const newCall = await fixture.createCall({ gate: fixture.createGate({ limits, policy: "one" }) });
      await fixture.store.open(newCall);
      const exists = { kind: "exists", call: await fixture.load(newCall.call) };
      await fixture.harness.admin.publish("two");
      await fixture.harness.admin.freeze({ id: "f", kind: "tenant", subject: fixture.tenant, by: "ana" });
      expect(await fixture.store.open(newCall)).toEqual(exists);
      const roomy = fixture.createGate({ limits: [fixture.createLimit({ max: 2 })] });
      await fixture.harness.admin.thaw("f");
      for (let i = 0; i < 3; i += 1)
        expect((await fixture.store.open({ ...newCall, gate: roomy })).kind).toBe("exists");
      expect(await fixture.store.open(await fixture.createCall({ gate: roomy }))).toEqual({ kind: "opened" });
    },
  );

  prove(
    "[fence] a stale intent is lost, even if its gate is closed too, and reserves nothing",
    async (fixture) => {
      const limits = [fixture.createLimit({ kind: "concurrency", windowMs: 0, max: 1 })];
      const call = await fixture.open();
      await fixture.commit(call);
      const late = await fixture.createIntent({ limits, policy: "one" });
      expect(await fixture.commit(call, late)).toEqual({ kind: "lost" });
      await fixture.harness.admin.publish("two");
      expect(await fixture.commit(call, late)).toEqual({ kind: "lost" });
      expect(await fixture.commitCurrent(call.call, await fixture.createIntent({ limits }))).toMatchObject({
        kind: "done",
      });
    },
  );
};
