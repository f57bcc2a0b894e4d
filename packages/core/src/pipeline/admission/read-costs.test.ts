import { expect, it } from "vitest";
import { z } from "zod";
import { createTestPipeline, testAgent, testTenant } from "../../../../../test/support/test-pipeline.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import type { Limit } from "../../limit.ts";
import { sealGrant } from "../../receipts/sealed-grant.ts";
import { createPlainPolicy, type PlainRule } from "../../testing/plain-policy.ts";
import { advance, continueCall } from "../advance.ts";
import { admit } from "./admit.ts";

const money: Limit = { id: "budget", kind: "money", key: "m", windowMs: 3_600_000, max: 100, amount: 40 };
const place: Limit = { id: "one", kind: "concurrency", key: "p", windowMs: 0, max: 1, amount: 1 };

/** Creates a read that reserves at most 40 and actually costs 30, under these limits. */
async function bench(limits: readonly Limit[], rule: PlainRule = "allow", cost = 40) {
  const pipeline = await createTestPipeline("reads");
  const { store } = pipeline;
  let reads = 0;
  const ask = defineCapability({
    name: "model.ask",
    version: 1,
    summary: "x",
    effect: "read",
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    ...(cost > 0 && { cost: () => cost, spent: () => cost - 10 }),
    apply: async () => {
      reads += 1;
      return {};
    },
  });
  const base = pipeline.ports({
    policy: createPlainPolicy({ "model.ask": rule }),
    catalog: new Catalog([ask]),
  });
  const ports = { ...base, settings: { ...base.settings, limits: () => limits } };
  return {
    ...pipeline,
    reads: () => reads,
    spent: async () => (await store.usage(testAgent)).spentToday,
    ports,
    async run(performsHere = false) {
      const { call, wakes } = await admit(
        { principal: testAgent, capability: "model.ask", input: {} },
        ports,
        () => performsHere,
      );
      if (performsHere && call.state === "performing") await continueCall(call, ports);
      else for (const wake of wakes) await advance(wake, ports);
      return (await store.load({ tenant: testTenant, call: call.call }))!;
    },
  };
}

it("[TRUST 24] the spending includes the actual cost of two paid reads", async () => {
  const { run, spent } = await bench([]);
  expect([(await run(false)).outcome?.code, (await run(true)).outcome?.code]).toEqual(["done", "done"]);
  expect(await spent()).toBe(60);
});

it.each([false, true])(
  "[TRUST 24] Paraph checks a read against the budget before it runs (performed inline: %s)",
  async (here) => {
    const { run, reads, spent } = await bench([money]);
    const ends: (string | undefined)[] = [];
    for (let turn = 0; turn < 4; turn += 1)
      ends.push(
        await run(here).then(
          ({ outcome }) => outcome?.code,
          (error) => error.code,
        ),
      );
    // With 60 spent, 40 more fit into 100. With 90 spent they do not.
    expect([ends, reads(), await spent()]).toEqual([["done", "done", "done", "limit-reached"], 3, 90]);
  },
);

it("[TRUST 24] a read occupies a slot of a concurrency limit while it runs", async () => {
  const { run, ports, store } = await bench([place], "allow", 0);
  const act = ports.catalog.find(testTenant, "model.ask")!;
  let finish = () => {};
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow = { ...ports, catalog: new Catalog([{ ...act, apply: () => ended.then(() => ({})) }]) };
  const first = admit({ principal: testAgent, capability: "model.ask", input: {} }, slow).then(({ wakes }) =>
    Promise.all(wakes.map((wake) => advance(wake, slow))),
  );
  await expect.poll(() => store.rows().map(({ state }) => state)).toEqual(["performing"]);
  expect((await run()).state).toBe("delayed");
  finish();
  await first;
});

it.each([false, true])(
  "[TRUST 15] reads use up the count of a grant (performed inline: %s)",
  async (here) => {
    const { run, reads, store, clock, signer } = await bench([], { ask: 1 }, 0);
    const grant = {
      id: "g1",
      capability: "model.ask",
      bounds: {},
      countLeft: 1,
      people: [{ by: "ana", groups: [] }],
      expiresAt: clock.now() + 60_000,
    };
    store.getGates(testTenant).grant(sealGrant(testTenant, grant, signer));
    expect((await run(here)).outcome?.kind).toBe("succeeded");
    expect((await run(here)).state).toBe("asking");
    expect(reads()).toBe(1);
  },
);

it("a read without cost, limit or grant runs inline, without an intent", async () => {
  const { run, reads } = await bench([], "allow", 0);
  const { attempts, events } = await run();
  expect([reads(), attempts, events.some(({ kind }) => kind === "intended")]).toEqual([1, [], false]);
});
