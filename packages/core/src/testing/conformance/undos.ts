import type { Outcome } from "../../outcome.ts";
import type { OpenResult } from "../../store.ts";
import type { ConformanceSuite } from "./harness.ts";
import type { StoreFixture } from "./store-fixture.ts";

/** [TRUST 34] Tests how a store records calls that undo other calls. */
export const undoSuite: ConformanceSuite = (prove, expect) => {
  const opening = async (fixture: StoreFixture, undoes: string) =>
    fixture.createCall({
      events: [await fixture.createEvent("accepted", { capability: "bench.act", undoes })],
    });
  const undo = async (fixture: StoreFixture, undoes: string): Promise<OpenResult & { call: string }> => {
    const given = await opening(fixture, undoes);
    return { call: given.call, ...(await fixture.store.open(given)) } as OpenResult & { call: string };
  };
  const end = async (fixture: StoreFixture, call: string, kind: Outcome["kind"]) => {
    const closing = await fixture.createClosing();
    const events = [await fixture.createEvent("closed", { outcome: kind })];
    await fixture.commitCurrent(call, { ...closing, events, outcome: { kind, code: "bench" } });
  };

  prove(
    "[TRUST 34] a call is undone once; only a failed, refused, denied, expired or cancelled undo allows another",
    async (fixture) => {
      const done = await fixture.open();
      await end(fixture, done.call, "succeeded");
      for (const kind of ["failed", "refused", "denied", "expired", "cancelled"] as const) {
        const first = await undo(fixture, done.call);
        expect([kind, first.kind]).toEqual([kind, "opened"]);
        expect(await undo(fixture, done.call)).toMatchObject({ kind: "undone", by: first.call });
        await end(fixture, first.call, kind);
      }
      const last = await undo(fixture, done.call);
      await end(fixture, last.call, "succeeded");
      expect(await undo(fixture, done.call)).toMatchObject({ kind: "undone", by: last.call });
      const unsure = await fixture.open();
      const lost = await undo(fixture, unsure.call);
      await end(fixture, lost.call, "unknown");
      expect(await undo(fixture, unsure.call)).toMatchObject({ kind: "undone", by: lost.call });
    },
  );

  prove("[TRUST 34] of ten concurrent undos of a call, the store opens one", async (fixture) => {
    const done = await fixture.open();
    const given = await Promise.all(Array.from({ length: 10 }, () => opening(fixture, done.call)));
    const answers = await Promise.all(given.map((one) => fixture.store.open(one)));
    expect(answers.map(({ kind }) => kind).sort()).toEqual(["opened", ...Array(9).fill("undone")]);
  });

  prove(
    "[TRUST 34] the undo of a composite and the undo of one of its steps exclude each other",
    async (fixture) => {
      const step = (whole: string, name: string) =>
        fixture.open({ parent: { call: whole, step: name, depth: 1 } });
      const whole = await fixture.open({ state: "composing" });
      const [a, b] = [await step(whole.call, "a"), await step(whole.call, "b")];
      for (const { call } of [a, b, whole]) await end(fixture, call, "succeeded");
      const ofStep = await undo(fixture, a.call);
      expect(await undo(fixture, whole.call)).toMatchObject({ kind: "undone", by: ofStep.call });
      expect((await undo(fixture, b.call)).kind).toBe("opened");
      const other = await fixture.open({ state: "composing" });
      const c = await step(other.call, "c");
      const back = await undo(fixture, other.call);
      expect(await undo(fixture, c.call)).toMatchObject({ kind: "undone", by: back.call });
      // The undo failed, but one of its own steps had an effect. Paraph does not undo the same call a second time.
      const undone = await step(back.call, "undo-1-c");
      await end(fixture, undone.call, "succeeded");
      await end(fixture, back.call, "failed");
      expect(await undo(fixture, c.call)).toMatchObject({ kind: "undone", by: back.call });
    },
  );
};
