import { expect, it } from "vitest";
import { z } from "zod";
import {
  createPerson,
  createTestPipeline,
  type Pipeline,
  testAgent,
  testTenant,
} from "../../../../../test/support/test-pipeline.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { CapabilityError } from "../../capability/fault.ts";
import type { Limit } from "../../limit.ts";
import type { Ports } from "../../ports.ts";
import type { Wake } from "../../store.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { advance } from "../advance.ts";
import { decide } from "../approval/decide.ts";

const shared = { version: 1, summary: "x", effect: "write", timeout: "10s", retry: { retries: 1 } } as const;
const shapes = { input: z.object({ n: z.int() }), output: z.object({}) };

/** Simulates the engine as a bag of timed messages, together with the sweeper. Returns how many segments ran. */
async function runFor(
  seconds: number,
  bag: Wake[],
  { clock, store }: Pipeline,
  ports: Ports,
): Promise<number> {
  let segments = 0;
  for (let second = 0; second < seconds; second += 1) {
    bag.push(...store.sweepDue(clock.now()));
    const now = clock.now();
    const due = bag.filter(({ at }) => (at ?? now) <= now);
    bag.splice(0, bag.length, ...bag.filter(({ at }) => (at ?? now) > now));
    segments += due.length;
    for (const wake of due) bag.push(...(await advance(wake, ports)).wakes);
    await clock.advance(1_000);
  }
  return segments;
}

const reset = () => Object.assign(new Error("reset"), { code: "ECONNRESET" });

it("[P7] [P14] a failing probe is retried with back-off, by one message, until the outcome is unknown", async () => {
  const pipeline = await createTestPipeline("probe");
  let probes = 0;
  const act = defineCapability({
    ...shared,
    ...shapes,
    name: "probe.act",
    idempotency: "probe",
    apply: async () => {
      throw reset();
    },
    probe: async () => {
      probes += 1;
      throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    },
  });
  const ports = pipeline.ports({
    policy: createPlainPolicy({ "probe.act": "allow" }),
    catalog: new Catalog([act]),
  });
  const { call, wakes } = await admit(
    { principal: testAgent, capability: "probe.act", input: { n: 1 } },
    ports,
  );
  const bag = [...wakes];
  await runFor(60, bag, pipeline, ports);
  expect(probes).toBeLessThanOrEqual(4);
  await runFor(3_600, bag, pipeline, ports);
  const now = await pipeline.store.load({ tenant: testTenant, call: call.call });
  expect([now?.outcome, probes, bag.length]).toEqual([{ kind: "unknown", code: "probe-failed" }, 9, 0]);
});

it("[P7] a probe that answers after transient faults closes the call without a second effect", async () => {
  const pipeline = await createTestPipeline("probe-again");
  let [probes, effects] = [0, 0];
  const act = defineCapability({
    ...shared,
    ...shapes,
    name: "probe.act",
    idempotency: "probe",
    apply: async () => {
      effects += 1;
      throw reset();
    },
    probe: async () => {
      probes += 1;
      if (probes < 3) throw reset();
      return { kind: "present" as const, output: {} };
    },
  });
  const ports = pipeline.ports({
    policy: createPlainPolicy({ "probe.act": "allow" }),
    catalog: new Catalog([act]),
  });
  const { call, wakes } = await admit(
    { principal: testAgent, capability: "probe.act", input: { n: 1 } },
    ports,
  );
  await runFor(120, [...wakes], pipeline, ports);
  const now = await pipeline.store.load({ tenant: testTenant, call: call.call });
  expect([now?.outcome?.kind, effects]).toEqual(["succeeded", 1]);
});

it.each(["none", "natural"] as const)(
  "[P2] [P7] a signer that fails once after the effect loses nothing (%s)",
  async (idempotency) => {
    const pipeline = await createTestPipeline("signer");
    let [effects, failing] = [0, 0];
    const act = defineCapability({
      ...shared,
      ...shapes,
      name: "sign.act",
      idempotency,
      apply: async () => {
        effects += 1;
        failing = 1;
        return {};
      },
    });
    const sign = async (bytes: Uint8Array) => {
      if (failing-- > 0) throw new Error("the key service is away");
      return pipeline.signer.sign(bytes);
    };
    const ports = pipeline.ports({
      policy: createPlainPolicy({ "sign.act": "allow" }),
      catalog: new Catalog([act]),
      signer: { keyId: pipeline.signer.keyId, sign },
      clock: {
        now: () => pipeline.clock.now(),
        deadline: (ms) => pipeline.clock.deadline(ms),
        sleep: async () => {},
      },
    });
    const { call, wakes } = await admit(
      { principal: testAgent, capability: "sign.act", input: { n: 1 } },
      ports,
    );
    // The test checks only the record, so it does not matter whether the segment throws.
    for (const wake of wakes) await advance(wake, ports).catch(() => {});
    const now = await pipeline.store.load({ tenant: testTenant, call: call.call });
    expect([now?.outcome, effects]).toEqual([{ kind: "succeeded", code: "done" }, 1]);
  },
);

it("[P12] an approved call waits for its adapter until `applyWithin` ends, then is refused as unavailable", async () => {
  const pipeline = await createTestPipeline("away");
  const send = defineCapability({
    ...shared,
    ...shapes,
    name: "mail.send",
    idempotency: "keyed",
    applyWithin: "1h",
    apply: async () => ({}),
  });
  const policy = createPlainPolicy({ "mail.send": { ask: 1 } });
  const here = pipeline.ports({ policy, catalog: new Catalog([send]) });
  const away = pipeline.ports({
    policy,
    catalog: new Catalog([{ ...send, unavailable: { code: "unreachable", message: "It does not answer." } }]),
  });
  const approved = async () => {
    const { call } = await admit({ principal: testAgent, capability: "mail.send", input: { n: 1 } }, here);
    const { id, digest } = call.approval!;
    return decide({ approval: id, digest, decision: "approve", voter: createPerson("ana") }, away);
  };
  const outcome = async (call: string) => (await pipeline.store.load({ tenant: testTenant, call }))?.outcome;

  const first = await approved();
  await runFor(50 * 60, [...first.wakes], pipeline, away);
  expect(await outcome(first.call.call)).toBeUndefined();
  await runFor(20, [], pipeline, here);
  expect((await outcome(first.call.call))?.kind).toBe("succeeded");

  const second = await approved();
  await runFor(65 * 60, [...second.wakes], pipeline, away);
  expect(await outcome(second.call.call)).toEqual({ kind: "refused", code: "capability-unavailable" });
});

const one: Limit = { id: "one", kind: "concurrency", key: "k", windowMs: 0, max: 1, amount: 1 };

it("[P15] a call that waits for a concurrency limit writes one event and previews only when a place may be free", async () => {
  const pipeline = await createTestPipeline("places");
  let previews = 0;
  const slow = defineCapability({
    ...shared,
    ...shapes,
    name: "slow.act",
    idempotency: "none",
    timeout: "10m",
    preview: async () => {
      previews += 1;
      return { changes: [], basis: 1 };
    },
    apply: () => pipeline.clock.sleep(540_000).then(() => ({})),
  });
  const base = pipeline.ports({
    policy: createPlainPolicy({ "slow.act": "allow" }),
    catalog: new Catalog([slow]),
  });
  const ports = { ...base, settings: { ...base.settings, limits: () => [one] } };
  const place = () => admit({ principal: testAgent, capability: "slow.act", input: { n: 1 } }, ports);
  const [first, second, third] = [await place(), await place(), await place()];
  const load = async ({ call }: typeof first) =>
    (await pipeline.store.load({ tenant: testTenant, call: call.call }))!;
  previews = 0;
  const acting = advance(first.wakes[0]!, ports);
  const bag = [...second.wakes, ...third.wakes];
  await runFor(500, bag, pipeline, ports);
  expect(previews).toBeLessThan(25);
  for (const waiting of [await load(second), await load(third)])
    expect([waiting.state, waiting.events.filter(({ kind }) => kind === "delayed").length]).toEqual([
      "delayed",
      1,
    ]);

  await pipeline.clock.advance(60_000);
  const { wakes } = await acting;
  // A call that frees the place wakes the first call in line, and no other.
  expect(wakes.map(({ call }) => call)).toEqual([second.call.call]);
  const next = advance(wakes[0]!, ports);
  await expect.poll(async () => (await load(second)).state).toBe("performing");
  await pipeline.clock.advance(600_000);
  expect((await next).wakes.map(({ call }) => call)).toEqual([third.call.call]);
});

it("[P15] a call that was not performed holds no place while it waits for a retry or an approval", async () => {
  const pipeline = await createTestPipeline("kept-place");
  let basis = 1;
  const act = defineCapability({
    ...shared,
    ...shapes,
    name: "slot.act",
    idempotency: "none",
    preview: async () => ({ changes: [{ kind: "other", target: "t" }], basis }),
    apply: async ({ n }) => {
      if (n === 1) throw new CapabilityError("not-performed", "busy", "come back");
      return {};
    },
  });
  const base = pipeline.ports({
    policy: createPlainPolicy({ "slot.act": { ask: 1 } }),
    catalog: new Catalog([act]),
  });
  const ports = { ...base, settings: { ...base.settings, limits: () => [one] } };
  const approved = async (n: number) => {
    const { call } = await admit({ principal: testAgent, capability: "slot.act", input: { n } }, ports);
    const { id, digest } = call.approval!;
    return decide({ approval: id, digest, decision: "approve", voter: createPerson("ana") }, ports);
  };
  const first = await approved(1);
  for (const wake of first.wakes) await advance(wake, ports);
  basis = 2;
  await pipeline.clock.advance(5_000);
  await advance(first.call, ports);
  expect((await pipeline.store.load(first.call))?.state).toBe("asking");
  const second = await approved(2);
  await runFor(20, [...second.wakes], pipeline, ports);
  expect((await pipeline.store.load(second.call))?.outcome?.kind).toBe("succeeded");
});
