// The guarantees of a plan under interruptions. Each test fails if its guarantee is broken
// (lab/mutations/catalog/plan-mutations.ts).
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createPlanFixture, putStep, toPlanJson } from "../../../../test/support/plan-fixture.ts";
import { createPerson } from "../../../../test/support/test-pipeline.ts";
import type { Composer } from "../capability/composite.ts";
import { advance } from "../pipeline/advance.ts";

describe("the approval of a whole plan", () => {
  it("[P5] [P13] does not cover a step whose basis changed, and Paraph asks about that step separately", async () => {
    const upset = {
      name: "box.upset",
      version: 1,
      summary: "Upsets",
      effect: "write",
      idempotency: "natural",
      input: z.object({}),
      output: z.object({}),
      apply: async () => {
        world.boxes.set("y", "upset");
        return {};
      },
    } as never;
    const bench = await createPlanFixture({ "box.put": { ask: 1 }, "box.upset": "allow" }, [upset]);
    const { place, vote, world, children, load } = bench;
    const first = { id: "a", capability: "box.upset", input: {} };
    const call = await place("plan.apply", toPlanJson([first, putStep("b", "y", "2")]));
    await vote(call, "approve");
    expect(world.log).toEqual([]);
    const step = (await children(call)).find(({ step }) => step === "b")!;
    const asked = await load(step.call);
    expect([asked.state, asked.approval?.round]).toEqual(["asking", 1]);
    await vote(asked, "approve");
    expect(world.log).toEqual(["y=2"]);
  });

  it("[P5] [P13] expires, and Paraph asks separately about a step that starts two hours later", async () => {
    const { place, vote, world, children, load, clock } = await createPlanFixture({ "box.put": { ask: 1 } });
    const steps = [
      putStep("a", "x", "1"),
      putStep("b", "y", { $from: "a", path: "/box" }),
      putStep("c", "z", "3"),
    ];
    const call = await place("plan.apply", toPlanJson(steps));
    await vote(call, "approve");
    const named = async (wanted: string) =>
      load((await children(call)).find(({ step }) => step === wanted)!.call);
    await clock.advance(2 * 3_600_000);
    await vote(await named("b"), "approve");
    expect(world.log).toEqual(["x=1", "y=x"]);
    expect((await named("c")).state).toBe("asking");
  });

  it("[P5] [P13] [TRUST 1] does not cover a step whose stored preview was changed, and Paraph asks about that step", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hold = {
      name: "box.hold",
      version: 1,
      summary: "Holds",
      effect: "write",
      idempotency: "natural",
      input: z.object({}),
      output: z.object({}),
      locks: () => ["y"],
      apply: () => released.then(() => ({})),
    } as never;
    const bench = await createPlanFixture({ "box.put": { ask: 1 }, "box.hold": "allow" }, [hold]);
    const { place, vote, world, children, load, store } = bench;
    const holding = place("box.hold", {});
    const call = await place("plan.apply", toPlanJson([putStep("a", "x", "1"), putStep("b", "y", "2")]));
    await vote(call, "approve");
    const row = store.rows().find(({ parent }) => parent?.step === "b")!;
    expect(row.state).toBe("queued");
    const preview = row.payloads.find(({ name }) => name === "preview")!;
    row.payloads.push({ ...preview, value: { ...(preview.value as object), changes: [] } });
    release();
    await holding;
    expect(world.log).toEqual(["x=1"]);
    const [, second] = await children(call);
    expect((await load(second!.call)).state).toBe("asking");
  });

  it("[P13] keeps a guard of a declined step if another step needs the same guard", async () => {
    const { place, vote, world } = await createPlanFixture({ "box.put": { ask: 2 } });
    const call = await place("plan.apply", toPlanJson([putStep("a", "x", "1"), putStep("b", "y", "2")]));
    const once = await vote(call, "approve", ["a"]);
    expect([once.state, once.approval?.round, once.approval?.status]).toEqual(["asking", 1, "open"]);
    await vote(once, "approve", [], createPerson("bo"));
    expect(world.log).toEqual(["y=2"]);
  });
});

describe("a composite", () => {
  const hasty = {
    name: "box.hasty",
    version: 1,
    summary: "Hurries",
    effect: "write",
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    /** Fails as soon as its first step fails, whatever state the second is in. */
    compose: async (_: object, call: Composer) => {
      const second = call.ended("box.clear", { box: "y" });
      await call("box.put", { box: "x", value: "1" });
      await second;
      return {};
    },
  } as never;

  it("[P13] closes only after all its steps have closed, even if its code fails earlier", async () => {
    const { place, vote, world, children, load } = await createPlanFixture(
      { "box.hasty": "allow", "box.clear": { ask: 1 } },
      [hasty],
    );
    world.broken.add("x");
    const call = await place("box.hasty", {});
    const open = (await children(call)).find(({ state }) => state === "asking")!;
    expect((await load(call.call)).state).toBe("composing");
    await vote(await load(open.call), "approve");
    expect((await load(call.call)).outcome).toEqual({ kind: "failed", code: "step-failed" });
    expect(world.log).toEqual(["y!"]);
  });

  it("[P7] [P13] only one of two processes that reach a step at the same time performs it", async () => {
    const { place, ports, store, world, children } = await createPlanFixture();
    let raced = false;
    const open = store.open.bind(store);
    store.open = async (opening) => {
      if (!raced && opening.parent) {
        raced = true;
        const { tenant } = opening;
        await advance({ tenant, call: opening.parent.call }, ports);
      }
      return open(opening);
    };
    const call = await place("plan.apply", toPlanJson([putStep("a", "x", "1"), putStep("b", "y", "2")]));
    expect(world.log).toEqual(["x=1", "y=2"]);
    expect((await children(call)).map(({ step }) => step)).toEqual(["a", "b"]);
    expect(raced).toBe(true);
  });
});
