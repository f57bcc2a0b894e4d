import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createPerson,
  createTestPipeline,
  type Pipeline,
  testAgent,
  testTenant,
} from "../../../../../test/support/test-pipeline.ts";
import type { Call } from "../../call.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import type { Ports } from "../../ports.ts";
import { verifyReceipt } from "../../receipts/verify.ts";
import type { Wake } from "../../store.ts";
import type { ProcessStore } from "../../testing/model/model-store.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { waitForever } from "../../testing/simulation/crashing-store.ts";
import { admit } from "../admission/admit.ts";
import { advance } from "../advance.ts";
import { decide } from "../approval/decide.ts";
import { resumeStuck } from "./resume.ts";

/** The effect of a capability on the process that runs it. */
type Deed = "kill" | "fine";
const fine = { preview: "fine", apply: "fine", probe: "fine" } as const;
const world: { process: ProcessStore; died: () => void; preview: Deed; apply: Deed; probe: Deed } = {
  process: undefined as never,
  died: () => {},
  ...fine,
};

async function does(what: Deed): Promise<void> {
  if (what === "fine") return;
  world.process.die();
  world.died();
  await waitForever();
}

const shared = { version: 1, summary: "x", timeout: "10s", retry: { retries: 0 } } as const;
const shapes = { input: z.object({ n: z.int() }), output: z.object({}) };
const apply = async () => {
  await does(world.apply);
  return {};
};
const preview = async () => {
  await does(world.preview);
  return { changes: [], basis: 1 };
};
const capabilities = [
  defineCapability({
    ...shared,
    ...shapes,
    name: "poison.read",
    effect: "read",
    idempotency: "natural",
    apply,
  }),
  ...(["natural", "keyed"] as const).map((idempotency) =>
    defineCapability({
      ...shared,
      ...shapes,
      name: `poison.${idempotency}`,
      effect: "write",
      idempotency,
      apply,
    }),
  ),
  defineCapability({
    ...shared,
    ...shapes,
    name: "poison.probe",
    effect: "write",
    idempotency: "probe",
    apply,
    probe: async () => {
      await does(world.probe);
      return { kind: "absent" as const };
    },
  }),
  defineCapability({
    ...shared,
    ...shapes,
    name: "poison.preview",
    effect: "write",
    idempotency: "none",
    apply,
    preview,
  }),
  defineCapability({
    ...shared,
    ...shapes,
    name: "poison.locked",
    effect: "write",
    idempotency: "none",
    apply,
    locks: () => ["one"],
  }),
];

const asked = createPlainPolicy(
  Object.fromEntries(capabilities.map(({ contract }) => [contract.name, { ask: 1 }])),
);
let pipeline: Pipeline;
const load = async (call: Pick<Call, "call">) =>
  (await pipeline.store.load({ tenant: testTenant, call: call.call }))!;

/**
 * Starts a new process and returns its ports. Code that waits for the process to end continues when the process dies.
 */
function start(given: Partial<Ports> = {}): Ports {
  world.process = pipeline.store.startProcess();
  return pipeline.ports({
    policy: asked,
    catalog: new Catalog(capabilities),
    store: world.process,
    ...given,
  });
}

/**
 * Runs segments as the engine and the sweeper do, each in the process that is alive. Returns how many processes died.
 */
async function runFor(seconds: number, wakes: readonly Wake[], ports: () => Ports): Promise<number> {
  let died = 0;
  const bag = [...wakes];
  for (let second = 0; second < seconds; second += 1) {
    bag.push(...pipeline.store.sweepDue(pipeline.clock.now()));
    const now = pipeline.clock.now();
    for (const wake of bag.splice(0)) {
      if ((wake.at ?? now) > now) bag.push(wake);
      else {
        const killed = new Promise<undefined>((settle) => {
          world.died = () => settle(undefined);
        });
        const ended = await Promise.race([advance(wake, ports()), killed]);
        if (ended) bag.push(...ended.wakes);
        else died += 1;
      }
    }
    await pipeline.clock.advance(1_000);
  }
  return died;
}

async function approved(capability: string): Promise<{ call: Call; wakes: readonly Wake[] }> {
  const ports = start();
  const { call } = await admit({ principal: testAgent, capability, input: { n: 1 } }, ports);
  const { id, digest } = call.approval!;
  return decide({ approval: id, digest, decision: "approve", voter: createPerson("ana") }, ports);
}

async function verified(call: Call) {
  const envelope = pipeline.store.envelope(call)!;
  const bundle = { mediaType: "application/vnd.paraph.receipt.v1+json", envelope, disclosures: {} } as const;
  return verifyReceipt(bundle, [pipeline.signer.publicKey]);
}

beforeEach(async () => {
  pipeline = await createTestPipeline("poison");
  Object.assign(world, fine);
});

describe("[TRUST 29] a call that kills its process", () => {
  it.each([
    ["poison.read", "failed"],
    ["poison.natural", "unknown"],
    ["poison.keyed", "unknown"],
  ])(
    "%s closes after three process deaths as %s, and its receipt records the deaths",
    async (capability, kind) => {
      world.apply = "kill";
      const { call, wakes } = await approved(capability);
      expect(await runFor(600, wakes, start)).toBe(3);
      const now = await load(call);
      expect(now.outcome).toEqual({ kind, code: "crashed-repeatedly" });
      const { story } = await verified(now);
      expect(story.outcome).toEqual(now.outcome);
      expect(story.events.at(-1)?.data).toMatchObject({ code: "crashed-repeatedly", deaths: 3 });
    },
  );

  it("closes as failed if only its preview kills the process, because nothing happened", async () => {
    const { call, wakes } = await approved("poison.preview");
    world.preview = "kill";
    expect(await runFor(600, wakes, start)).toBe(3);
    expect((await load(call)).outcome).toEqual({ kind: "failed", code: "crashed-repeatedly" });
  });

  it("closes as unknown if its probe kills the process, without running the probe again", async () => {
    Object.assign(world, { apply: "kill", probe: "kill" });
    const { call, wakes } = await approved("poison.probe");
    expect(await runFor(600, wakes, start)).toBe(3);
    expect((await load(call)).outcome).toEqual({ kind: "unknown", code: "crashed-repeatedly" });
  });

  it("does not affect a call that only waits in the same process", async () => {
    const { call: waiting } = await admit(
      { principal: testAgent, capability: "poison.natural", input: { n: 1 } },
      start(),
    );
    world.apply = "kill";
    const poison = await approved("poison.read");
    expect(await runFor(600, poison.wakes, start)).toBe(3);
    expect(await load(waiting)).toEqual(waiting);
  });

  it("is not closed after one process death, and succeeds on a later run", async () => {
    world.apply = "kill";
    const { call, wakes } = await approved("poison.natural");
    const died = await runFor(1, wakes, start);
    world.apply = "fine";
    await runFor(60, [call as unknown as Wake], start);
    expect([died, (await load(call)).outcome?.kind]).toEqual([1, "succeeded"]);
  });
});

describe("[P2] a call whose segments keep failing", () => {
  const broken = () => {
    throw new Error("reckons otherwise since the last deploy");
  };
  const failing = () => start({ settings: { ...start().settings, limits: broken } });

  it("is retried with back-off, then is stuck with a code, and continues when a person resumes it", async () => {
    const { call, wakes } = await approved("poison.natural");
    let segments = 0;
    await runFor(2_700, wakes, () => {
      segments += 1;
      return failing();
    });
    const stuck = await load(call);
    // A message and the sweeper may both start a segment for one of the pauses.
    expect(segments).toBeLessThan(20);
    expect([stuck.state, stuck.stuck, stuck.nextAt]).toEqual(["ready", "unexpected-error", undefined]);
    expect(stuck.events.at(-1)?.data).toMatchObject({ failures: 15, stuck: true, code: "unexpected-error" });

    await expect(resumeStuck({ call: call.call, by: testAgent }, start())).rejects.toMatchObject({
      code: "approver-not-allowed",
    });
    const resumed = await resumeStuck({ call: call.call, by: createPerson("ana") }, start());
    await runFor(10, resumed.wakes, start);
    const now = await load(call);
    expect([now.outcome?.kind, now.stuck]).toEqual(["succeeded", undefined]);
  });

  it("continues without a person once the fault is fixed, and succeeds", async () => {
    const { call, wakes } = await approved("poison.natural");
    await runFor(5, wakes, failing);
    expect((await load(call)).events.filter(({ kind }) => kind === "segment-failed").length).toBeGreaterThan(
      2,
    );
    await runFor(60, [], start);
    expect((await load(call)).outcome?.kind).toBe("succeeded");
  });

  it("releases its locks while it is stuck, because it has not acted", async () => {
    const { call, wakes } = await approved("poison.locked");
    await runFor(1, wakes, failing);
    expect(pipeline.store.getLocks(testTenant).listHeld()).toHaveLength(1);
    await runFor(7_200, [], failing);
    expect((await load(call)).stuck).toBe("unexpected-error");
    expect(pipeline.store.getLocks(testTenant).listHeld()).toEqual([]);
  });
});
