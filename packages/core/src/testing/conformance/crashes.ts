import type { ConformanceSuite } from "./harness.ts";
import { minute } from "./store-fixture.ts";

/**
 * [TRUST 29] Tests that a store counts the processes that died while they ran a call. A call that keeps failing is left
 * to a person.
 */
export const crashSuite: ConformanceSuite = (prove, expect) => {
  prove("[TRUST 29] a process that dies while it runs a call is counted once", async (bench) => {
    const call = await bench.open();
    const [first, second] = [
      await bench.harness.startOtherProcess(),
      await bench.harness.startOtherProcess(),
    ];
    expect(await first.store.begin(call)).toEqual(call);
    expect(await second.store.begin(call)).toEqual(call);
    await first.die();
    // The second process runs the call now. The first process had finished with it before it died.
    expect(await bench.store.begin(call)).toEqual(call);
    await second.store.begin(call);
    await second.die();
    await Promise.all([bench.store.begin(call), bench.store.begin(call), bench.store.begin(call)]);
    expect(await bench.store.begin(call)).toEqual({ ...call, deaths: 1 });
    expect(await bench.load(call.call)).toEqual({ ...call, deaths: 1 });
  });

  prove("[TRUST 29] who acts is not replaced by others who look, and its death counts", async (bench) => {
    const other = await bench.harness.startOtherProcess();
    const call = await bench.open();
    const intent = { attempt: 1, at: call.createdAt, deadline: call.createdAt + minute };
    await bench.commit(call, { state: "performing", intent, segment: "runs" }, other.store);
    await bench.store.begin(call);
    await other.die();
    expect((await bench.store.begin(call))?.deaths).toBe(1);
  });

  prove("[TRUST 29] a call that is opened to be run at once counts from its opening", async (bench) => {
    const other = await bench.harness.startOtherProcess();
    const [runs, waits] = [await bench.createCall({ segment: "runs" }), await bench.createCall()];
    for (const opening of [runs, waits]) await other.store.open(opening);
    await other.die();
    expect((await bench.store.begin(runs))?.deaths).toBe(1);
    expect((await bench.store.begin(waits))?.deaths).toBe(undefined);
  });

  prove("[TRUST 29] deaths are forgotten with progress, not while a segment runs or fails", async (bench) => {
    const call = await bench.open();
    const other = await bench.harness.startOtherProcess();
    await other.store.begin(call);
    await other.die();
    await bench.store.begin(call);
    for (const segment of ["runs", "failed"] as const) {
      await bench.commitCurrent(call.call, { segment });
      expect((await bench.load(call.call)).deaths).toBe(1);
    }
    await bench.commitCurrent(call.call, {});
    expect((await bench.load(call.call)).deaths).toBe(undefined);
  });

  prove("[P2] a stuck call is never due, until any other move lets it go on", async (bench) => {
    const call = await bench.open();
    const failed = await bench.createEvent("segment-failed", { code: "broken", failures: 1, stuck: true });
    const move = { nextAt: undefined, events: [failed], segment: "failed", stuck: "broken" } as const;
    expect(await bench.commit(call, move)).toMatchObject({ kind: "done", epoch: 2 });
    expect(await bench.load(call.call)).toMatchObject({ state: "ready", stuck: "broken" });
    await bench.harness.advanceClock(365 * 24 * 60 * minute);
    expect(await bench.harness.sweep()).toEqual([]);
    await bench.commitCurrent(call.call, { nextAt: await bench.harness.now() });
    expect((await bench.load(call.call)).stuck).toBe(undefined);
    expect((await bench.harness.sweep()).map((wake) => wake.call)).toEqual([call.call]);
  });
};
