import type { Limit } from "../../limit.ts";
import type { ConformanceSuite } from "./harness.ts";
import type { StoreFixture } from "./store-fixture.ts";

/** Tests the queue of calls that wait for a place under a concurrency limit. */
export const placeSuite: ConformanceSuite = (prove, expect) => {
  const one = (fixture: StoreFixture): Limit =>
    fixture.createLimit({ id: "one", kind: "concurrency", windowMs: 0, max: 1, amount: 1 });
  const act = async (fixture: StoreFixture, call: string) =>
    fixture.commitCurrent(call, await fixture.createIntent({ limits: [one(fixture)] }));
  const leave = (fixture: StoreFixture, call: string) =>
    fixture.commitCurrent(call, { state: "delayed", settle: { spent: "unknown" } });
  const wait = (fixture: StoreFixture, call: string) =>
    fixture.commitCurrent(call, { state: "delayed", waitFor: one(fixture) });

  prove(
    "[limits] a call that frees a place wakes the call that has waited longest, and makes it due",
    async (fixture) => {
      const calls = [await fixture.open(), await fixture.open(), await fixture.open()].map(
        ({ call }) => call,
      );
      const [first, second, third] = calls as [string, string, string];
      expect(await act(fixture, first)).toMatchObject({ kind: "done" });
      expect(await act(fixture, third)).toMatchObject({ kind: "stopped", stop: { kind: "concurrency" } });
      expect(await wait(fixture, third)).toMatchObject({ wake: [] });
      await fixture.harness.advanceClock(1);
      expect(await wait(fixture, second)).toMatchObject({ wake: [] });
      // A waiting call that tries again without success keeps its position in the queue.
      await wait(fixture, third);
      expect(await leave(fixture, first)).toMatchObject({ wake: [{ call: third }] });
      expect((await fixture.harness.sweep()).map(({ call }) => call)).toEqual([third]);
      expect(await act(fixture, third)).toMatchObject({ kind: "done" });
      expect(await leave(fixture, third)).toMatchObject({ wake: [{ call: second }] });
    },
  );

  prove("[limits] a call that starts to wait after a place became free is woken at once", async (fixture) => {
    const [first, second, third] = [await fixture.open(), await fixture.open(), await fixture.open()];
    await act(fixture, first.call);
    await leave(fixture, first.call);
    expect(await wait(fixture, second.call)).toMatchObject({ wake: [{ call: second.call }] });
    // Any other transition ends the waiting.
    await fixture.commitCurrent(second.call, {});
    await act(fixture, third.call);
    expect(await leave(fixture, third.call)).toMatchObject({ wake: [] });
  });
};
