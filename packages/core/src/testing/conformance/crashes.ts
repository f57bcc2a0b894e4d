import type { ConformanceSuite } from "./harness.ts";
import { minute } from "./store-fixture.ts";

/**
 * [TRUST 29] Tests that a store counts the processes that died while they ran a call. A call that keeps failing is left
 * to a person.
 */
export const crashSuite: ConformanceSuite = (prove, expect) => {
  prove("[TRUST 29] a process that dies while it runs a call is counted once", async (fixture) => {
    const call = await fixture.open();
    const [first, second] = [
      await fixture.harness.startOtherProcess(),
      await fixture.harness.startOtherProcess(),
    ];
    expect(await first.store.begin(call)).toEqual(call);
    expect(await second.store.begin(call)).toEqual(call);
    await first.die();
    // The second process runs the call now. The first process had finished with it before it died.
    expect(await fixture.store.begin(call)).toEqual(call);
    await second.store.begin(call);
    await second.die();
    await Promise.all([fixture.store.begin(call), fixture.store.begin(call), fixture.store.begin(call)]);
    expect(await fixture.store.begin(call)).toEqual({ ...call, deaths: 1 });
    expect(await fixture.load(call.call)).toEqual({ ...call, deaths: 1 });
  });

  prove(
    "[TRUST 29] an acting process stays the runner when another process begins the call, and its death counts",
    async (fixture) => {
      const other = await fixture.harness.startOtherProcess();
      const call = await fixture.open();
      const intent = { attempt: 1, at: call.createdAt, deadline: call.createdAt + minute };
      await fixture.commit(call, { state: "performing", intent, segment: "runs" }, other.store);
      await fixture.store.begin(call);
      await other.die();
      expect((await fixture.store.begin(call))?.deaths).toBe(1);
    },
  );

  prove(
    "[TRUST 29] a call that is opened to run at once counts the death of its opener; a waiting call does not",
    async (fixture) => {
      const other = await fixture.harness.startOtherProcess();
      const [runs, waits] = [await fixture.createCall({ segment: "runs" }), await fixture.createCall()];
      for (const opening of [runs, waits]) await other.store.open(opening);
      await other.die();
      expect((await fixture.store.begin(runs))?.deaths).toBe(1);
      expect((await fixture.store.begin(waits))?.deaths).toBe(undefined);
    },
  );

  prove(
    "[TRUST 29] progress resets the count of deaths; a running or failed segment does not",
    async (fixture) => {
      const call = await fixture.open();
      const other = await fixture.harness.startOtherProcess();
      await other.store.begin(call);
      await other.die();
      await fixture.store.begin(call);
      for (const segment of ["runs", "failed"] as const) {
        await fixture.commitCurrent(call.call, { segment });
        expect((await fixture.load(call.call)).deaths).toBe(1);
      }
      await fixture.commitCurrent(call.call, {});
      expect((await fixture.load(call.call)).deaths).toBe(undefined);
    },
  );

  prove("[P2] a stuck call is never due until another transition lets it continue", async (fixture) => {
    const call = await fixture.open();
    const failed = await fixture.createEvent("segment-failed", { code: "broken", failures: 1, stuck: true });
    const move = { nextAt: undefined, events: [failed], segment: "failed", stuck: "broken" } as const;
    expect(await fixture.commit(call, move)).toMatchObject({ kind: "done", epoch: 2 });
    expect(await fixture.load(call.call)).toMatchObject({ state: "ready", stuck: "broken" });
    await fixture.harness.advanceClock(365 * 24 * 60 * minute);
    expect(await fixture.harness.sweep()).toEqual([]);
    await fixture.commitCurrent(call.call, { nextAt: await fixture.harness.now() });
    expect((await fixture.load(call.call)).stuck).toBe(undefined);
    expect((await fixture.harness.sweep()).map((wake) => wake.call)).toEqual([call.call]);
  });
};
