import type { Outcome } from "../../outcome.ts";
import type { OpenResult } from "../../store.ts";
import type { ConformanceSuite } from "./harness.ts";
import type { StoreFixture } from "./store-fixture.ts";

/** [TRUST 34] Tests how a store records calls that undo other calls. */
export const undoSuite: ConformanceSuite = (prove, expect) => {
  const opening = async (bench: StoreFixture, undoes: string) =>
    bench.createCall({ events: [await bench.createEvent("accepted", { capability: "bench.act", undoes })] });
  const undo = async (bench: StoreFixture, undoes: string): Promise<OpenResult & { call: string }> => {
    const given = await opening(bench, undoes);
    return { call: given.call, ...(await bench.store.open(given)) } as OpenResult & { call: string };
  };
  const end = async (bench: StoreFixture, call: string, kind: Outcome["kind"]) => {
    const closing = await bench.createClosing();
    const events = [await bench.createEvent("closed", { outcome: kind })];
    await bench.commitCurrent(call, { ...closing, events, outcome: { kind, code: "bench" } });
  };

  prove("[TRUST 34] a call is undone once, whoever asks and however it ended", async (bench) => {
    const done = await bench.open();
    await end(bench, done.call, "succeeded");
    for (const kind of ["failed", "refused", "denied", "expired", "cancelled"] as const) {
      const first = await undo(bench, done.call);
      expect([kind, first.kind]).toEqual([kind, "opened"]);
      expect(await undo(bench, done.call)).toMatchObject({ kind: "undone", by: first.call });
      await end(bench, first.call, kind);
    }
    const last = await undo(bench, done.call);
    await end(bench, last.call, "succeeded");
    expect(await undo(bench, done.call)).toMatchObject({ kind: "undone", by: last.call });
    const unsure = await bench.open();
    const lost = await undo(bench, unsure.call);
    await end(bench, lost.call, "unknown");
    expect(await undo(bench, unsure.call)).toMatchObject({ kind: "undone", by: lost.call });
  });

  prove("[TRUST 34] of ten undos at once, one is opened", async (bench) => {
    const done = await bench.open();
    const given = await Promise.all(Array.from({ length: 10 }, () => opening(bench, done.call)));
    const answers = await Promise.all(given.map((one) => bench.store.open(one)));
    expect(answers.map(({ kind }) => kind).sort()).toEqual(["opened", ...Array(9).fill("undone")]);
  });

  prove("[TRUST 34] a composite and its steps are not undone beside one another", async (bench) => {
    const step = (whole: string, name: string) =>
      bench.open({ parent: { call: whole, step: name, depth: 1 } });
    const whole = await bench.open({ state: "composing" });
    const [a, b] = [await step(whole.call, "a"), await step(whole.call, "b")];
    for (const { call } of [a, b, whole]) await end(bench, call, "succeeded");
    const ofStep = await undo(bench, a.call);
    expect(await undo(bench, whole.call)).toMatchObject({ kind: "undone", by: ofStep.call });
    expect((await undo(bench, b.call)).kind).toBe("opened");
    const other = await bench.open({ state: "composing" });
    const c = await step(other.call, "c");
    const back = await undo(bench, other.call);
    expect(await undo(bench, c.call)).toMatchObject({ kind: "undone", by: back.call });
    // The undo failed, but one of its own steps had an effect. Paraph does not undo the same call a second time.
    const undone = await step(back.call, "undo-1-c");
    await end(bench, undone.call, "succeeded");
    await end(bench, back.call, "failed");
    expect(await undo(bench, c.call)).toMatchObject({ kind: "undone", by: back.call });
  });
};
