import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createPerson,
  createTestPipeline,
  testAgent,
  testTenant,
} from "../../../../../test/support/test-pipeline.ts";
import type { Call } from "../../call.ts";
import { defineCapability, type Probe } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { CapabilityError } from "../../capability/fault.ts";
import type { Json } from "../../json.ts";
import { planApplyCapability } from "../../plan/plan-capability.ts";
import { verifyReceipt } from "../../receipts/verify.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { edit } from "../admission/edit.ts";
import { advance } from "../advance.ts";
import { claimCall } from "../agent/claim.ts";
import { decide } from "../approval/decide.ts";
import { withdrawCall } from "../approval/withdraw.ts";

const hour = 3_600_000;
const kinds = ["natural", "keyed", "probe", "none"] as const;
const rules = {
  ...Object.fromEntries(kinds.flatMap((kind) => [[`free.${kind}`, "allow"] as const])),
  ...Object.fromEntries(kinds.flatMap((kind) => [[`asked.${kind}`, { ask: 1 }] as const])),
  "asked.read": { ask: 1 },
  "own.send": "allow",
  "plan.apply": "allow",
} as const;

/** Creates a pipeline whose external system records the keys of its effects. */
async function createFixture() {
  const pipeline = await createTestPipeline("restored");
  const { store, clock, signer } = pipeline;
  pipeline.store.addPrincipal(createPerson("bo"));
  const outside = { effects: [] as string[], found: "absent" as Probe["kind"], fails: false };
  const act = async (key: string) => {
    if (outside.fails) throw new CapabilityError("permanent", "no-funds", "There is no money.");
    outside.effects.push(key);
    return { done: true };
  };
  const common = { version: 1, summary: "Act", output: z.object({ done: z.boolean() }) };
  const input = z.object({ name: z.string().optional() });
  const writes = kinds.flatMap((idempotency) =>
    ["free", "asked"].map((adapter) =>
      defineCapability({
        ...common,
        name: `${adapter}.${idempotency}`,
        effect: "write",
        idempotency,
        input,
        locks: () => ["door"],
        apply: (_, { key }) => act(key),
        ...(idempotency === "probe" && {
          probe: async () =>
            outside.found === "present"
              ? ({ kind: "present", output: { done: true } } as const)
              : ({ kind: outside.found } as { kind: "absent" | "unsure" }),
        }),
      }),
    ),
  );
  const catalog = new Catalog([
    ...writes,
    planApplyCapability,
    defineCapability({
      ...common,
      name: "asked.read",
      effect: "read",
      idempotency: "natural",
      input,
      apply: async () => ({ done: true }),
    }),
    defineCapability({
      ...common,
      name: "own.send",
      performer: "agent",
      effect: "write",
      idempotency: "none",
      input,
    }),
  ]);
  const ports = pipeline.ports({ policy: createPlainPolicy(rules), catalog });
  const load = async ({ call }: Pick<Call, "call">) => (await store.load({ tenant: testTenant, call }))!;
  const go = async (call: Pick<Call, "call">) => {
    await advance({ tenant: testTenant, call: call.call }, ports);
    return load(call);
  };
  const vote = async ({ approval }: Call, decision: "approve" | "deny") => {
    const { id, digest } = approval!;
    const voted = await decide({ approval: id, digest, decision, voter: createPerson("ana") }, ports);
    return voted.call;
  };
  return {
    store,
    clock,
    outside,
    ports,
    load,
    go,
    vote,
    /** Requests a call that no process runs yet. */
    request: async (capability: string, value: Json = {}) =>
      (await admit({ principal: testAgent, capability, input: value }, ports, () => false)).call,
    /** Restores the database: calls requested so far may have acted without a record. */
    restore: async () => {
      await clock.advance(1_000);
      store.recordRestore();
      await clock.advance(1_000);
    },
    verify: async ({ call }: Pick<Call, "call">) => {
      const envelope = store.envelope(store.rows().find((row) => row.call === call)!);
      const mediaType = "application/vnd.paraph.receipt.v1+json";
      return verifyReceipt({ mediaType, envelope, disclosures: {} }, [signer.publicKey]);
    },
  };
}

describe("[P7] a call from before a restore", () => {
  it("ends unknown and does not act if its contract allows neither a key nor a probe, and keeps its lock", async () => {
    const { request, restore, go, outside, store, verify } = await createFixture();
    const call = await request("free.none");
    await restore();
    expect((await go(call)).outcome).toEqual({ kind: "unknown", code: "restored" });
    expect(outside.effects).toEqual([]);
    expect(store.getLocks(testTenant).listHeld()).toMatchObject([{ call: call.call }]);
    await verify(call);
  });

  it("acts again if it is natural, and with the same key if it is keyed and the key is remembered", async () => {
    const { request, restore, go, outside } = await createFixture();
    const calls = [await request("free.natural"), await request("free.keyed")];
    await restore();
    for (const call of calls) expect((await go(call)).outcome?.kind).toBe("succeeded");
    expect(outside.effects).toEqual(calls.map(({ call }) => call));
  });

  it("ends unknown if its key may have expired, counted from its last event before the restore", async () => {
    const { request, restore, go, outside, clock } = await createFixture();
    const call = await request("free.keyed");
    await restore();
    await clock.advance(23 * hour - 2_000);
    expect((await go(call)).outcome).toEqual({ kind: "unknown", code: "key-expired" });
    expect(outside.effects).toEqual([]);
  });

  it("is probed before it acts: a found effect closes it, an absent one is performed, and an unsure one is unknown", async () => {
    const { request, restore, go, outside, verify } = await createFixture();
    for (const [found, outcome, effects] of [
      ["present", { kind: "succeeded", code: "done" }, 0],
      ["absent", { kind: "succeeded", code: "done" }, 1],
      ["unsure", { kind: "unknown", code: "probe-unsure" }, 1],
    ] as const) {
      const call = await request("free.probe");
      await restore();
      outside.found = found;
      expect((await go(call)).outcome).toEqual(outcome);
      expect(outside.effects.length).toBe(effects);
      await verify(call);
    }
  });

  it("is asked about as before and then settled: people's lost votes are no reason to act on trust", async () => {
    const { request, restore, go, vote, outside } = await createFixture();
    const [none, probe] = [await request("asked.none"), await request("asked.probe")];
    await restore();
    outside.found = "present";
    for (const call of [none, probe]) expect((await go(call)).state).toBe("asking");
    await vote(probe, "approve");
    expect((await go(probe)).outcome?.kind).toBe("succeeded");
    await vote(none, "approve");
    expect((await go(none)).outcome).toEqual({ kind: "unknown", code: "restored" });
    expect(outside.effects).toEqual([]);
  });

  it("never ends with an outcome that claims that it had no effect, unless it is a read", async () => {
    const { request, restore, go, vote, load, clock, ports, outside, verify } = await createFixture();
    const denied = await request("asked.keyed");
    const expired = await request("asked.natural");
    const withdrawn = await request("asked.probe");
    const failed = await request("free.keyed");
    const read = await request("asked.read");
    await restore();
    await vote(denied, "deny");
    await vote(read, "deny");
    await withdrawCall({ call: withdrawn.call, by: testAgent }, ports);
    outside.fails = true;
    await go(failed);
    await clock.advance(25 * hour);
    await go(expired);
    for (const call of [denied, expired, withdrawn, failed]) {
      expect((await load(call)).outcome).toEqual({ kind: "unknown", code: "restored" });
      await verify(call);
    }
    expect((await load(read)).outcome?.kind).toBe("denied");
  });

  it("cannot be edited, because its successor would act under another key", async () => {
    const { request, restore, ports } = await createFixture();
    const { approval } = await request("asked.keyed");
    await restore();
    const edited = { approval: approval!.id, digest: approval!.digest, input: { name: "other" } };
    await expect(edit({ ...edited, editor: createPerson("bo") }, ports)).rejects.toMatchObject({
      code: "edit-refused",
    });
  });

  it("is not handed to its agent again after it was offered", async () => {
    const { request, restore, go, ports } = await createFixture();
    const [offered, claimed] = [await request("own.send"), await request("own.send")];
    for (const call of [offered, claimed]) expect((await go(call)).state).toBe("offered");
    await restore();
    const claim = await claimCall({ call: claimed.call, by: testAgent, claimToken: "t" }, ports);
    expect(claim.perform).toBe(undefined);
    expect(claim.call.outcome).toEqual({ kind: "unknown", code: "restored" });
    expect((await go(offered)).outcome).toEqual({ kind: "unknown", code: "restored" });
  });

  it("passes its doubt on to the steps that it opens after the restore, which keep their ids", async () => {
    const { request, restore, go, outside, store } = await createFixture();
    const steps = (["keyed", "none"] as const).map((kind) => ({
      id: kind,
      capability: `free.${kind}`,
      input: {},
    }));
    const plan = await request("plan.apply", { version: 1, steps });
    await restore();
    const ended = await go(plan);
    const rows = store.rows().filter(({ parent }) => parent?.call === plan.call);
    expect(rows.map(({ outcome }) => outcome)).toEqual([
      { kind: "succeeded", code: "done" },
      { kind: "unknown", code: "restored" },
    ]);
    expect(outside.effects).toEqual([rows[0]?.call]);
    expect(ended.outcome?.kind).toBe("unknown");
  });
});

it("a call that was accepted after the restore is an ordinary call", async () => {
  const { request, restore, go, vote, outside } = await createFixture();
  await restore();
  expect((await go(await request("free.none"))).outcome?.kind).toBe("succeeded");
  expect(outside.effects.length).toBe(1);
  expect((await vote(await request("asked.none"), "deny")).outcome?.kind).toBe("denied");
});
