import type { Limit } from "../../limit.ts";
import type { ConformanceSuite } from "./harness.ts";
import type { StoreFixture } from "./store-fixture.ts";

/** Tests the queue of calls that wait for a place under a concurrency limit. */
export const placeSuite: ConformanceSuite = (prove, expect) => {
  const one = (bench: StoreFixture): Limit =>
    bench.createLimit({ id: "one", kind: "concurrency", windowMs: 0, most: 1, amount: 1 });
  const act = async (bench: StoreFixture, call: string) =>
    bench.commitCurrent(call, await bench.createIntent({ limits: [one(bench)] }));
  const leave = (bench: StoreFixture, call: string) =>
    bench.commitCurrent(call, { state: "delayed", settle: { spent: "unknown" } });
  const wait = (bench: StoreFixture, call: string) =>
    bench.commitCurrent(call, { state: "delayed", waitFor: one(bench) });

  prove(
    "[limits] whoever leaves a place wakes the one that waits longest, and makes it due",
    async (bench) => {
      const calls = [await bench.open(), await bench.open(), await bench.open()].map(({ call }) => call);
      const [first, second, third] = calls as [string, string, string];
      expect(await act(bench, first)).toMatchObject({ kind: "done" });
      expect(await act(bench, third)).toMatchObject({ kind: "stopped", stop: { kind: "concurrency" } });
      expect(await wait(bench, third)).toMatchObject({ wake: [] });
      await bench.harness.advanceClock(1);
      expect(await wait(bench, second)).toMatchObject({ wake: [] });
      // A waiting call that tries again without success keeps its position in the queue.
      await wait(bench, third);
      expect(await leave(bench, first)).toMatchObject({ wake: [{ call: third }] });
      expect((await bench.harness.sweep()).map(({ call }) => call)).toEqual([third]);
      expect(await act(bench, third)).toMatchObject({ kind: "done" });
      expect(await leave(bench, third)).toMatchObject({ wake: [{ call: second }] });
    },
  );

  prove("[limits] a place that was left before the call stood in line wakes it at once", async (bench) => {
    const [first, second, third] = [await bench.open(), await bench.open(), await bench.open()];
    await act(bench, first.call);
    await leave(bench, first.call);
    expect(await wait(bench, second.call)).toMatchObject({ wake: [{ call: second.call }] });
    // Any other transition ends the waiting.
    await bench.commitCurrent(second.call, {});
    await act(bench, third.call);
    expect(await leave(bench, third.call)).toMatchObject({ wake: [] });
  });
};
