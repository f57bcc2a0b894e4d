import type { ConformanceSuite } from "./harness.ts";

/** [P13] Tests how a store keeps composites and their steps. */
export const compositeSuite: ConformanceSuite = (prove, expect) => {
  prove(
    "[P13] a step has its parent, and a call that is not a step has no `parent` field",
    async (fixture) => {
      const call = await fixture.open({ state: "composing" });
      const step = await fixture.open({ parent: { call: call.call, step: "a", depth: 1 } });
      expect(step.parent).toEqual({ call: call.call, step: "a", depth: 1 });
      expect([call.state, "parent" in call]).toEqual(["composing", false]);
    },
  );

  prove(
    "[P13] the store lists only a composite's own steps, in the order in which they were opened",
    async (fixture) => {
      const call = await fixture.open({ state: "composing" });
      const other = await fixture.open({ state: "composing" });
      const place = (step: string, of = call) => ({ parent: { call: of.call, step, depth: 1 } });
      const first = await fixture.open({ ...place("a"), lockKeys: ["k"] });
      await fixture.harness.advanceClock(1_000);
      const second = await fixture.open(place("b"));
      await fixture.open(place("a", other));
      const listed = await fixture.store.children(call);
      expect(listed).toEqual([
        {
          call: first.call,
          step: "a",
          state: "ready",
          capability: first.capability,
          requestDigest: first.requestDigest,
          lockKeys: ["k"],
        },
        {
          call: second.call,
          step: "b",
          state: "ready",
          capability: second.capability,
          requestDigest: second.requestDigest,
          lockKeys: [],
        },
      ]);
      expect(await fixture.store.children(first)).toEqual([]);
    },
  );

  prove(
    "[P13] [TRUST 29] the store lists steps without outputs and undos if these exceed 16 MiB together",
    async (fixture) => {
      const call = await fixture.open({ state: "composing" });
      const end = async (stepName: string, name: "output" | "undo") => {
        const step = await fixture.open({ parent: { call: call.call, step: stepName, depth: 1 } });
        const value = "x".repeat(4 * 1024 * 1024 - 2);
        await fixture.commitCurrent(step.call, {
          ...(await fixture.createClosing()),
          payloads: [{ name, salt: "1".repeat(32), value }],
        });
      };
      for (let n = 1; n <= 4; n += 1) await end(`s${n}`, n % 2 === 0 ? "output" : "undo");
      const fit = await fixture.store.children(call);
      expect(fit.filter(({ output, undo }) => output ?? undo).length).toBe(4);
      expect(fit.some(({ withheld }) => withheld)).toBe(false);
      await end("s5", "output");
      const listed = await fixture.store.children(call);
      expect(listed.map(({ withheld }) => withheld)).toEqual(listed.map(() => true));
      expect(listed.some((child) => "output" in child || "undo" in child)).toBe(false);
    },
  );

  prove(
    "[P13] a closed step is listed with its outcome, output, undo, receipt and closing time",
    async (fixture) => {
      const call = await fixture.open({ state: "composing" });
      const step = await fixture.open({ parent: { call: call.call, step: "a", depth: 1 } });
      const output = { done: [1, "two", null] };
      const undo = { capability: "bench.act", input: {} };
      await fixture.commitCurrent(step.call, {
        payloads: [{ name: "output", salt: "0".repeat(32), value: "an earlier one" }],
      });
      const closing = await fixture.createClosing();
      await fixture.commitCurrent(step.call, {
        ...closing,
        payloads: [
          { name: "output", salt: "1".repeat(32), value: output },
          { name: "undo", salt: "2".repeat(32), value: undo },
        ],
      });
      const [child] = await fixture.store.children(call);
      expect(child).toMatchObject({ state: "closed", outcome: closing.outcome, output, undo });
      expect(child?.receipt).toBe(closing.receipt?.digest);
      expect(child?.closedAt).toBe(closing.events?.at(-1)?.at);
    },
  );

  prove(
    "[fence] opening a step requires the current epoch of a composing parent, and raises that epoch",
    async (fixture) => {
      const call = await fixture.open({ state: "composing" });
      const step = async (name: string, parentEpoch: number, of = call) =>
        fixture.store.open(
          await fixture.createCall({ parent: { call: of.call, step: name, depth: 1 }, parentEpoch }),
        );
      expect(await step("a", call.epoch)).toEqual({ kind: "opened" });
      expect((await fixture.load(call.call)).epoch).toBe(call.epoch + 1);
      expect(await step("b", call.epoch)).toEqual({ kind: "lost" });
      const other = await fixture.open({ state: "ready" });
      expect(await step("a", other.epoch, other)).toEqual({ kind: "lost" });
      await fixture.close(call.call);
      const { epoch } = await fixture.load(call.call);
      expect(await step("c", epoch)).toEqual({ kind: "lost" });
      expect((await fixture.store.children(call)).map((child) => child.step)).toEqual(["a"]);
    },
  );

  prove(
    "[fence] if a step opens while its composite closes, the store writes exactly one of the two",
    async (fixture) => {
      for (let turn = 0; turn < 8; turn += 1) {
        const call = await fixture.open({ state: "composing" });
        const newCall = await fixture.createCall({
          parent: { call: call.call, step: "a", depth: 1 },
          parentEpoch: call.epoch,
        });
        const end = fixture.createTransition(call, await fixture.createClosing());
        const [opened, ended] = await Promise.all([
          fixture.store.open(newCall),
          fixture.store.commit(await end),
        ]);
        expect([opened.kind, ended.kind].sort()).toEqual(
          opened.kind === "opened" ? ["lost", "opened"] : ["done", "lost"],
        );
      }
    },
  );
};
