import { expect, it } from "vitest";
import { z } from "zod";
import {
  createPerson,
  createTestPipeline,
  testAgent,
  testTenant,
} from "../../../../../test/support/test-pipeline.ts";
import { type Capability, defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { CapabilityError } from "../../capability/fault.ts";
import type { RetryStrategy } from "../../capability/retry.ts";
import type { ReceiptPredicate } from "../../receipts/receipt.ts";
import { verifyReceipt } from "../../receipts/verify.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { advance } from "../advance.ts";
import { decide } from "../approval/decide.ts";

const shapes = { input: z.object({}), output: z.object({}) };
const shared = { version: 1, summary: "x", timeout: "10s", retry: { retries: 3 } } as const;

/** Creates a capability whose attempts take these times. Every attempt except the last ends as not performed. */
async function bench(
  effect: "read" | "write",
  takes: readonly number[],
  rule: "allow" | { ask: 1 } = "allow",
  given: Partial<Pick<Capability, "tokens" | "cost" | "spent">> & { wait?: RetryStrategy } = {},
) {
  const pipeline = await createTestPipeline(`figures-${effect}`);
  const { clock, store, signer } = pipeline;
  const world = { basis: 1 };
  const act = defineCapability({
    ...shared,
    ...shapes,
    name: "slow.act",
    effect,
    idempotency: "natural",
    ...given,
    ...(given.wait && { retry: { retries: 3, wait: given.wait } }),
    preview: async () => ({ changes: [{ kind: "other", target: "t" }], basis: world.basis }),
    apply: async (_input, { attempt }) => {
      // The test's clock advances only when the test advances it.
      await clock.advance(takes[attempt - 1] ?? 0);
      if (attempt < takes.length) throw new CapabilityError("not-performed", "busy", "busy");
      return {};
    },
  });
  const ports = pipeline.ports({
    policy: createPlainPolicy({ "slow.act": rule }),
    catalog: new Catalog([act]),
  });
  const load = async (call: string) => (await store.load({ tenant: testTenant, call }))!;
  return {
    clock,
    ports,
    store,
    world,
    load,
    admit: () => admit({ principal: testAgent, capability: "slow.act", input: {} }, ports),
    /** Runs the call to its end, as the sweeper would. */
    async story(call: string): Promise<ReceiptPredicate> {
      for (let turn = 0; turn < 20 && (await load(call)).state !== "closed"; turn += 1) {
        await clock.advance(10_000);
        for (const wake of store.sweepDue(clock.now())) await advance(wake, ports);
      }
      const bundle = {
        mediaType: "application/vnd.paraph.receipt.v1+json",
        envelope: store.envelope(store.rows().find((row) => row.call === call)!),
        disclosures: {},
      };
      return (await verifyReceipt(bundle, [signer.publicKey])).story;
    },
  };
}

it.each(["read", "write"] as const)(
  "[P8] the duration of a %s is the sum of its attempts, and each attempt records its own duration",
  async (effect) => {
    const { admit, story } = await bench(effect, [3_000, 200, 40]);
    const { durationMs, attempts, events } = await story((await admit()).call.call);
    expect([attempts, durationMs]).toEqual([3, 3_240]);
    expect(events.filter(({ kind }) => kind === "attempted").map(({ data }) => data.ms)).toEqual([
      3_000, 200, 40,
    ]);
    expect(events.at(-1)).toMatchObject({ kind: "closed", data: { ms: 3_240 } });
  },
);

it("[P8] the duration excludes the time between two attempts in which the call waits for approval", async () => {
  const { admit, story, clock, world, ports, load } = await bench("write", [300, 50], { ask: 1 });
  const { call } = await admit();
  const approve = async () => {
    const { id, digest } = (await load(call.call)).approval!;
    await decide({ approval: id, digest, decision: "approve", voter: createPerson("ana") }, ports);
  };
  await approve();
  await advance(await load(call.call), ports);
  world.basis = 2;
  await clock.advance(10_000);
  await advance(await load(call.call), ports);
  await clock.advance(3_600_000);
  await approve();
  expect((await story(call.call)).durationMs).toBe(350);
});

it("[P7] [P8] an attempt whose process died counts until its deadline at most, however late that is detected", async () => {
  const { admit, story, clock, store, ports } = await bench("write", [0]);
  const { call, wakes } = await admit();
  const doomed = store.startProcess();
  const act = ports.catalog.find(testTenant, "slow.act")!;
  const hanging = new Catalog([{ ...act, apply: () => new Promise(() => {}) }]);
  void advance(wakes[0]!, { ...ports, store: doomed, catalog: hanging }).catch(() => {});
  await expect
    .poll(async () => (await store.load({ tenant: testTenant, call: call.call }))?.state)
    .toBe("performing");
  doomed.die();
  await clock.advance(3_600_000);
  expect((await story(call.call)).durationMs).toBe(10_000);
});

it.each([
  [() => ({ input: 7, output: 3 }), { input: 7, output: 3 }],
  [() => ({ output: 3 }), { output: 3 }],
  [() => ({ input: -1, output: 0.5 }), undefined],
  [() => undefined, undefined],
  [
    () => {
      throw new Error("no count");
    },
    undefined,
  ],
])(
  "[P9] the closing event records the tokens that a capability reports if they are valid counts (%#)",
  async (tokens, told) => {
    const { admit, story } = await bench("write", [0], "allow", { tokens });
    const { events } = await story((await admit()).call.call);
    expect(events.at(-1)?.data.tokens).toEqual(told);
  },
);

it.each(["read", "write"] as const)(
  "[P8] a capability's retry strategy chooses the waits of a %s and can stop before its last retry",
  async (effect) => {
    const wait: RetryStrategy = ({ retry, kind, code }) => {
      expect([kind, code]).toEqual(["not-performed", "busy"]);
      return retry < 3 ? `${retry * 1_000 + 234}ms` : "stop";
    };
    const { admit, story } = await bench(effect, [1, 1, 1, 1], "allow", { wait });
    const { outcome, attempts, events } = await story((await admit()).call.call);
    expect(attempts).toBe(3);
    expect(outcome).toMatchObject({ kind: "failed", code: "busy" });
    expect(events.flatMap(({ kind, data }) => (kind === "delayed" ? [data] : []))).toEqual([
      { retry: 1, waitMs: 1_234 },
      { retry: 2, waitMs: 2_234 },
    ]);
  },
);
