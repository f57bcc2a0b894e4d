import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createPlanFixture } from "../../../../test/support/plan-fixture.ts";
import { testAgent, testTenant } from "../../../../test/support/test-pipeline.ts";
import { type CapabilityDefinition, defineCapability } from "../capability/capability.ts";
import { type Composer, StepFailed } from "../capability/composite.ts";
import type { Json } from "../json.ts";
import { admit } from "../pipeline/admission/admit.ts";
import { advance } from "../pipeline/advance.ts";
import { withdrawCall } from "../pipeline/approval/withdraw.ts";
import { createCrashingStore } from "../testing/simulation/crashing-store.ts";

/** Defines a composite that puts values into boxes. `compose` is its code. */
function defineComposite(
  name: string,
  compose: (input: { box: string }, call: Composer) => Promise<object>,
  more: Partial<CapabilityDefinition<z.ZodType, z.ZodType>> = {},
) {
  return {
    name,
    version: 1,
    summary: "Several",
    effect: "write",
    idempotency: "natural",
    input: z.object({ box: z.string() }),
    output: z.object({}),
    compose,
    ...more,
  } as never;
}

describe("a composite", () => {
  const swap = {
    name: "box.swap",
    version: 1,
    summary: "Swaps",
    effect: "write",
    idempotency: "natural",
    input: z.object({ one: z.string(), other: z.string() }),
    output: z.object({ first: z.string() }),
    locks: ({ one, other }: { one: string; other: string }) => [one, other],
    compose: async (
      { one, other }: { one: string; other: string },
      call: (c: string, i: Json) => Promise<Json>,
    ) => {
      const { was } = (await call("box.put", { box: one, value: "tmp" })) as { was: string };
      const both = await Promise.all([
        call("box.put", { box: other, value: was ?? "" }),
        call("box.put", { box: one, value: "other" }),
      ]);
      return { first: String((both[0] as { box: string }).box) };
    },
  } as never;

  it("[P13] acts only through governed calls, under the locks that it declares", async () => {
    const { place, world, children } = await createPlanFixture({ "box.swap": "allow" }, [swap]);
    world.boxes.set("x", "1");
    const call = await place("box.swap", { one: "x", other: "y" });
    expect(call.outcome?.kind).toBe("succeeded");
    expect(call.payloads.output?.value).toEqual({ first: "y" });
    expect([...world.boxes]).toEqual([
      ["x", "other"],
      ["y", "1"],
    ]);
    expect((await children(call)).map(({ step }) => step)).toEqual(["1", "2", "3"]);
  });

  it("[P13] runs again from the start after a wait, and repeats no step", async () => {
    const { place, world, children, load, vote } = await createPlanFixture(
      {
        "box.swap": "allow",
        "box.put": { ask: 1, when: ({ input }) => (input as { box: string }).box === "y" },
      },
      [swap],
    );
    const call = await place("box.swap", { one: "x", other: "y" });
    expect(call.state).toBe("composing");
    expect(world.log).toEqual(["x=tmp", "x=other"]);
    const asked = (await children(call)).find(({ state }) => state === "asking")!;
    await vote(await load(asked.call), "approve");
    expect(world.log).toEqual(["x=tmp", "x=other", "y="]);
    expect((await load(call.call)).outcome?.kind).toBe("succeeded");
  });

  it("[P2] continues after the database was unavailable during a step, and its code sees no failure of the step", async () => {
    const both = defineComposite("box.both", async ({ box }, call) => {
      await call("box.put", { box, value: "1" });
      await call("box.put", { box, value: "2" }).catch(() => {});
      return {};
    });
    const { ports, world, store, settle, load } = await createPlanFixture({ "box.both": "allow" }, [both]);
    const { call, wakes } = await admit(
      { principal: testAgent, capability: "box.both", input: { box: "x" } },
      ports,
    );
    let opened = 0;
    const away = createCrashingStore(store.startProcess(), ({ operation, moment }) =>
      operation === "open" && moment === "before" && ++opened === 2 ? "fail" : "go",
    );
    const { call: rested } = await advance(call, { ...ports, store: away });
    expect(rested?.events.at(-1)).toMatchObject({ kind: "segment-failed", data: { failures: 1 } });
    expect(world.log).toEqual(["x=1"]);
    expect((await load(call.call)).state).toBe("composing");
    await settle(wakes);
    expect(world.log).toEqual(["x=1", "x=2"]);
    expect((await load(call.call)).outcome?.kind).toBe("succeeded");
  });

  it("[P13] gives its steps the caller's principal, session, trace and purpose", async () => {
    const twice = defineComposite("box.twice", async ({ box }, call) => {
      await call("box.put", { box, value: "1" });
      return {};
    });
    const { ports, settle, children, load } = await createPlanFixture({ "box.twice": "allow" }, [twice]);
    const placed = {
      principal: { ...testAgent, onBehalfOf: "ana" },
      capability: "box.twice",
      input: { box: "x" },
      session: { session: "s1" },
      trace: "00-aa-bb-01",
      purpose: "to see",
    };
    const { call, wakes } = await admit(placed, ports);
    await settle(wakes);
    const [child] = await children(call);
    const step = await load(child!.call);
    expect([step.principal.id, step.session, step.trace, step.payloads.purpose?.value]).toEqual([
      ...[testAgent.id, { session: "s1" }, "00-aa-bb-01", "to see"],
    ]);
    expect(step.parent).toEqual({ call: call.call, step: "1", depth: 1 });
  });

  it("[P13] that declares locks refuses steps that need other locks", async () => {
    const stray = defineComposite(
      "box.stray",
      async (_, call) => ({ ...(await call.ended("box.put", { box: "z", value: "1" })) }),
      {
        locks: ({ box }: { box: string }) => [box],
        output: z.object({ outcome: z.unknown() }),
      } as never,
    );
    const { place, world } = await createPlanFixture({ "box.stray": "allow" }, [stray]);
    const call = await place("box.stray", { box: "x" });
    expect(call.payloads.output?.value).toEqual({ outcome: { kind: "refused", code: "lock-undeclared" } });
    expect(world.log).toEqual([]);
  });

  it("[P13] that declares a cost refuses steps that exceed it in total", async () => {
    const pay = {
      name: "box.pay",
      version: 1,
      summary: "Pays",
      effect: "write",
      idempotency: "keyed",
      input: z.object({ cents: z.int() }),
      output: z.object({}),
      cost: ({ cents }: { cents: number }) => cents,
      apply: async () => ({}),
    } as never;
    const spree = defineComposite(
      "box.spree",
      async (_, call) => {
        const ends = [];
        for (const cents of [40, 50, 20]) ends.push((await call.ended("box.pay", { cents })).outcome);
        return { ends };
      },
      { cost: () => 100, output: z.object({ ends: z.array(z.unknown()) }) } as never,
    );
    const { place } = await createPlanFixture({ "box.spree": "allow", "box.pay": "allow" }, [spree, pay]);
    const call = await place("box.spree", { box: "x" });
    expect(call.payloads.output?.value).toEqual({
      ends: [
        { kind: "succeeded", code: "done" },
        { kind: "succeeded", code: "done" },
        { kind: "refused", code: "budget-exceeded" },
      ],
    });
  });

  it("[P13] counts the cost of steps from earlier runs as well", async () => {
    const pay = {
      name: "box.pay",
      version: 1,
      summary: "Pays",
      effect: "write",
      idempotency: "keyed",
      input: z.object({ cents: z.int() }),
      output: z.object({}),
      cost: ({ cents }: { cents: number }) => cents,
      apply: async () => ({}),
    } as never;
    const spree = defineComposite(
      "box.spree",
      async ({ box }, call) => {
        await call("box.pay", { cents: 90 });
        await call("box.clear", { box });
        return { last: (await call.ended("box.pay", { cents: 20 })).outcome.code };
      },
      { cost: () => 100, output: z.object({ last: z.string() }) } as never,
    );
    const rules = { "box.spree": "allow", "box.pay": "allow", "box.clear": { ask: 1 } } as const;
    const { place, children, load, vote } = await createPlanFixture(rules, [spree, pay]);
    const call = await place("box.spree", { box: "x" });
    const asked = (await children(call)).find(({ state }) => state === "asking")!;
    await vote(await load(asked.call), "approve");
    expect((await load(call.call)).payloads.output?.value).toEqual({ last: "budget-exceeded" });
  });

  it("[P13] that calls itself endlessly fails after 9 calls", async () => {
    const endless = defineComposite("box.endless", async (input, call) => {
      await call("box.endless", input as Json);
      return {};
    });
    const { place, store } = await createPlanFixture({ "box.endless": "allow" }, [endless]);
    const call = await place("box.endless", { box: "x" });
    expect(call.outcome).toEqual({ kind: "failed", code: "step-failed" });
    expect(store.rows().length).toBe(9);
  });

  it("that is withdrawn cancels its open steps at every level", async () => {
    const inner = defineComposite("box.inner", async ({ box }, call) => {
      await call("box.clear", { box });
      return {};
    });
    const outer = defineComposite("box.outer", async ({ box }, call) => {
      await call("box.put", { box, value: "1" });
      await call("box.inner", { box });
      return {};
    });
    const rules = { "box.inner": "allow", "box.outer": "allow", "box.clear": { ask: 1 } } as const;
    const { place, ports, settle, store, load, world } = await createPlanFixture(rules, [inner, outer]);
    const call = await place("box.outer", { box: "x" });
    const { wakes } = await withdrawCall({ call: call.call, by: testAgent }, ports);
    await settle(wakes);
    expect((await load(call.call)).outcome).toEqual({ kind: "cancelled", code: "withdrawn" });
    const ended = store.rows().map(({ capability, outcome }) => [capability, outcome?.kind]);
    expect(Object.fromEntries(ended)).toEqual({
      "box.outer": "cancelled",
      "box.inner": "cancelled",
      "box.put": "succeeded",
      "box.clear": "cancelled",
    });
    expect(world.log).toEqual(["x=1"]);
  });

  it("[P13] whose code behaves differently in a later run fails with the code `not-deterministic`", async () => {
    let turn = 0;
    const fickle = defineComposite("box.fickle", async ({ box }, call) => {
      turn += 1;
      await call("box.put", { box, value: String(turn) });
      await call("box.clear", { box });
      return {};
    });
    const rules = { "box.fickle": "allow", "box.clear": { ask: 1 } } as const;
    const { place, children, load, vote, world } = await createPlanFixture(rules, [fickle]);
    const call = await place("box.fickle", { box: "x" });
    const asked = (await children(call)).find(({ state }) => state === "asking")!;
    await vote(await load(asked.call), "approve");
    expect((await load(call.call)).outcome).toEqual({ kind: "failed", code: "not-deterministic" });
    expect(world.log).toEqual(["x=1", "x!"]);
  });

  it("[P13] whose code names two steps alike fails with the code `not-deterministic`", async () => {
    const alike = defineComposite("box.alike", async ({ box }, call) => {
      await call("box.put", { box, value: "1" }, { step: "one" });
      await call("box.put", { box, value: "2" }, { step: "one" });
      return {};
    });
    const { place, world } = await createPlanFixture({ "box.alike": "allow" }, [alike]);
    const call = await place("box.alike", { box: "x" });
    expect(call.outcome).toEqual({ kind: "failed", code: "not-deterministic" });
    expect(world.log).toEqual(["x=1"]);
  });

  it("[P7] ends as unknown if it fails because of a step with an unknown outcome", async () => {
    const one = defineComposite("box.one", async ({ box }, call) => {
      await call("box.put", { box, value: "1" });
      return {};
    });
    const { place, world } = await createPlanFixture({ "box.one": "allow" }, [one]);
    world.lost.add("x");
    const call = await place("box.one", { box: "x" });
    expect(call.outcome).toEqual({ kind: "unknown", code: "step-unknown" });
  });

  it("[P13] whose own code fails after a step keeps what the step did", async () => {
    const buggy = defineComposite("box.buggy", async ({ box }, call) => {
      await call("box.put", { box, value: "1" });
      throw new Error("bug");
    });
    const { place, world } = await createPlanFixture({ "box.buggy": "allow" }, [buggy]);
    const call = await place("box.buggy", { box: "x" });
    expect(call.outcome).toMatchObject({ kind: "failed" });
    expect(call.payloads.error?.value).toBe("bug");
    expect(world.log).toEqual(["x=1"]);
  });

  it("[P9] whose output does not fit its contract has acted, and its output is withheld", async () => {
    const odd = defineComposite("box.odd", async () => ({}), { output: z.object({ n: z.int() }) });
    const { place } = await createPlanFixture({ "box.odd": "allow" }, [odd]);
    const call = await place("box.odd", { box: "x" });
    expect(call.outcome).toEqual({ kind: "succeeded", code: "output-invalid" });
    expect(call.payloads.output).toBeUndefined();
  });

  it("[P13] whose code waits for something that is no step ends with the code `stuck`", async () => {
    const idle = defineComposite("box.idle", () => new Promise(() => {}), { timeout: "5s" });
    const { ports, clock, load } = await createPlanFixture({ "box.idle": "allow" }, [idle]);
    const { call } = await admit(
      { principal: testAgent, capability: "box.idle", input: { box: "x" } },
      ports,
    );
    let isWaiting = () => {};
    const waiting = new Promise<void>((resolve) => {
      isWaiting = resolve;
    });
    const deadline: typeof clock.deadline = (ms) => {
      isWaiting();
      return clock.deadline(ms);
    };
    const own = { now: () => clock.now(), deadline };
    const run = advance(call, { ...ports, clock: own as typeof clock });
    await waiting;
    await clock.advance(5_000);
    await run;
    expect((await load(call.call)).outcome).toEqual({ kind: "failed", code: "stuck" });
  });

  it("[P10] that throws `StepFailed` with a code that could be data ends with the code `error`", async () => {
    const leak = defineComposite("box.leak", async () => {
      throw new StepFailed("card 4111 1111 1111 1111", "x", { kind: "failed", code: "x" });
    });
    const { place } = await createPlanFixture({ "box.leak": "allow" }, [leak]);
    expect((await place("box.leak", { box: "x" })).outcome).toEqual({ kind: "failed", code: "error" });
  });

  it("[P11] with `apply` or the idempotency `none` is rejected at registration", () => {
    const both = defineComposite("box.both", async () => ({}), {
      apply: async () => ({}),
      idempotency: "none",
    } as never);
    expect(() => defineCapability(both)).toThrow(/apply[\s\S]*idempotency/);
  });

  it("the example in docs/guides/composites.md runs as written", async () => {
    const guide = readFileSync(new URL("../../../../docs/guides/composites.md", import.meta.url), "utf8");
    const block = /```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
    const code = stripTypeScriptTypes(block.replaceAll(/^import .*$/gm, "").replace("export const", "const"));
    const definition = new Function("defineCapability", "z", `${code}; return renameEverywhere;`);
    const example = definition((one: unknown) => one, z);
    const { place, world, store } = await createPlanFixture({ "box.rename": "allow" }, [example as never]);
    const call = await place("box.rename", { from: "x", to: "y", value: "v" });
    expect([call.outcome?.kind, world.log]).toEqual(["succeeded", ["y=v", "x!"]]);
    expect(store.rows().every(({ tenant }) => tenant === testTenant)).toBe(true);
  });
});
