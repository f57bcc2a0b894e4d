import type { ConformanceSuite } from "./harness.ts";

/** [P13] Tests how a store keeps composites and their steps. */
export const compositeSuite: ConformanceSuite = (prove, expect) => {
  prove("[P13] a step knows its place, and a call that is none says so by leaving it out", async (bench) => {
    const whole = await bench.open({ state: "composing" });
    const step = await bench.open({ parent: { call: whole.call, step: "a", depth: 1 } });
    expect(step.parent).toEqual({ call: whole.call, step: "a", depth: 1 });
    expect([whole.state, "parent" in whole]).toEqual(["composing", false]);
  });

  prove(
    "[P13] a composite's steps are listed in the order they were opened, and nobody else's",
    async (bench) => {
      const whole = await bench.open({ state: "composing" });
      const other = await bench.open({ state: "composing" });
      const place = (step: string, of = whole) => ({ parent: { call: of.call, step, depth: 1 } });
      const first = await bench.open({ ...place("a"), lockKeys: ["k"] });
      await bench.harness.advanceClock(1_000);
      const second = await bench.open(place("b"));
      await bench.open(place("a", other));
      const listed = await bench.store.children(whole);
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
      expect(await bench.store.children(first)).toEqual([]);
    },
  );

  prove(
    "[P13] [TRUST 29] steps whose outputs and ways back exceed 16 MiB together are listed without any",
    async (bench) => {
      const whole = await bench.open({ state: "composing" });
      const end = async (stepName: string, name: "output" | "undo") => {
        const step = await bench.open({ parent: { call: whole.call, step: stepName, depth: 1 } });
        const value = "x".repeat(4 * 1024 * 1024 - 2);
        await bench.commitCurrent(step.call, {
          ...(await bench.createClosing()),
          payloads: [{ name, salt: "1".repeat(32), value }],
        });
      };
      for (let n = 1; n <= 4; n += 1) await end(`s${n}`, n % 2 === 0 ? "output" : "undo");
      const fit = await bench.store.children(whole);
      expect(fit.filter(({ output, undo }) => output ?? undo).length).toBe(4);
      expect(fit.some(({ withheld }) => withheld)).toBe(false);
      await end("s5", "output");
      const listed = await bench.store.children(whole);
      expect(listed.map(({ withheld }) => withheld)).toEqual(listed.map(() => true));
      expect(listed.some((child) => "output" in child || "undo" in child)).toBe(false);
    },
  );

  prove(
    "[P13] a step that has ended tells how, with its output, its way back and its receipt",
    async (bench) => {
      const whole = await bench.open({ state: "composing" });
      const step = await bench.open({ parent: { call: whole.call, step: "a", depth: 1 } });
      const output = { done: [1, "two", null] };
      const undo = { capability: "bench.act", input: {} };
      await bench.commitCurrent(step.call, {
        payloads: [{ name: "output", salt: "0".repeat(32), value: "an earlier one" }],
      });
      const closing = await bench.createClosing();
      await bench.commitCurrent(step.call, {
        ...closing,
        payloads: [
          { name: "output", salt: "1".repeat(32), value: output },
          { name: "undo", salt: "2".repeat(32), value: undo },
        ],
      });
      const [child] = await bench.store.children(whole);
      expect(child).toMatchObject({ state: "closed", outcome: closing.outcome, output, undo });
      expect(child?.receipt).toBe(closing.receipt?.digest);
      expect(child?.closedAt).toBe(closing.events?.at(-1)?.at);
    },
  );

  prove(
    "[fence] a step is opened at its composite's epoch, which it raises, and only while that goes on",
    async (bench) => {
      const whole = await bench.open({ state: "composing" });
      const step = async (name: string, parentEpoch: number, of = whole) =>
        bench.store.open(
          await bench.createCall({ parent: { call: of.call, step: name, depth: 1 }, parentEpoch }),
        );
      expect(await step("a", whole.epoch)).toEqual({ kind: "opened" });
      expect((await bench.load(whole.call)).epoch).toBe(whole.epoch + 1);
      expect(await step("b", whole.epoch)).toEqual({ kind: "lost" });
      const other = await bench.open({ state: "ready" });
      expect(await step("a", other.epoch, other)).toEqual({ kind: "lost" });
      await bench.close(whole.call);
      const { epoch } = await bench.load(whole.call);
      expect(await step("c", epoch)).toEqual({ kind: "lost" });
      expect((await bench.store.children(whole)).map((child) => child.step)).toEqual(["a"]);
    },
  );

  prove("[fence] of a step and its composite's end at once exactly one is written", async (bench) => {
    for (let turn = 0; turn < 8; turn += 1) {
      const whole = await bench.open({ state: "composing" });
      const opening = await bench.createCall({
        parent: { call: whole.call, step: "a", depth: 1 },
        parentEpoch: whole.epoch,
      });
      const end = bench.createTransition(whole, await bench.createClosing());
      const [opened, ended] = await Promise.all([bench.store.open(opening), bench.store.commit(await end)]);
      expect([opened.kind, ended.kind].sort()).toEqual(
        opened.kind === "opened" ? ["lost", "opened"] : ["done", "lost"],
      );
    }
  });
};
