import type { ConformanceSuite } from "./harness.ts";

/** Tests the conditions that a store checks in the same transaction as an acceptance or an intent. */
export const gateSuite: ConformanceSuite = (prove, expect) => {
  prove("a gate with nothing in the way lets a call in and an intent through", async (bench) => {
    expect(await bench.openGated({ policy: "sha256:any" })).toEqual({ kind: "opened" });
    const call = await bench.open({ gate: bench.createGate() });
    expect(await bench.commit(call, await bench.createIntent({}))).toMatchObject({ kind: "done", epoch: 2 });
  });

  prove("[P5] under another policy set than the one in force nothing is accepted or begun", async (bench) => {
    const early = await bench.open({ gate: bench.createGate({ policy: "one" }) });
    await bench.harness.admin.publish("two");
    const stopped = { kind: "stopped", stop: { reason: "policy-changed" } };
    expect(await bench.openGated({ policy: "one" })).toEqual(stopped);
    expect(await bench.commit(early, await bench.createIntent({ policy: "one" }))).toEqual(stopped);
    expect(await bench.load(early.call)).toEqual(early);
    expect(await bench.openGated({ policy: "two" })).toEqual({ kind: "opened" });
    expect(await bench.commit(early, await bench.createIntent({ policy: "two" }))).toMatchObject({
      kind: "done",
    });
    await bench.harness.admin.publish("one");
    expect(await bench.openGated({ policy: "one" })).toEqual({ kind: "opened" });
  });

  prove("what names no policy set is held against none", async (bench) => {
    await bench.harness.admin.publish("two");
    expect(await bench.openGated({})).toEqual({ kind: "opened" });
  });

  prove("a stopped opening writes nothing, and its key stays free", async (bench) => {
    await bench.harness.admin.publish("two");
    const given = await bench.createCall({ gate: bench.createGate({ policy: "one" }) });
    expect((await bench.store.open(given)).kind).toBe("stopped");
    expect(await bench.store.load(given)).toBe(undefined);
    expect(await bench.store.findByKey(bench.createAgent(), given.key)).toBe(undefined);
    expect(await bench.store.open({ ...given, gate: bench.createGate({ policy: "two" }) })).toEqual({
      kind: "opened",
    });
  });

  prove("[P1] a key that is taken answers before any gate, and counts nothing", async (bench) => {
    const limits = [bench.createLimit({ most: 1 })];
    const given = await bench.createCall({ gate: bench.createGate({ limits, policy: "one" }) });
    await bench.store.open(given);
    const exists = { kind: "exists", call: await bench.load(given.call) };
    await bench.harness.admin.publish("two");
    await bench.harness.admin.freeze({ id: "f", kind: "tenant", subject: bench.tenant, by: "ana" });
    expect(await bench.store.open(given)).toEqual(exists);
    const roomy = bench.createGate({ limits: [bench.createLimit({ most: 2 })] });
    await bench.harness.admin.thaw("f");
    for (let i = 0; i < 3; i += 1)
      expect((await bench.store.open({ ...given, gate: roomy })).kind).toBe("exists");
    expect(await bench.store.open(await bench.createCall({ gate: roomy }))).toEqual({ kind: "opened" });
  });

  prove(
    "[fence] a stale intent is lost, even when its gate is shut too, and takes nothing",
    async (bench) => {
      const limits = [bench.createLimit({ kind: "concurrency", windowMs: 0, most: 1 })];
      const call = await bench.open();
      await bench.commit(call);
      const late = await bench.createIntent({ limits, policy: "one" });
      expect(await bench.commit(call, late)).toEqual({ kind: "lost" });
      await bench.harness.admin.publish("two");
      expect(await bench.commit(call, late)).toEqual({ kind: "lost" });
      expect(await bench.commitCurrent(call.call, await bench.createIntent({ limits }))).toMatchObject({
        kind: "done",
      });
    },
  );
};
