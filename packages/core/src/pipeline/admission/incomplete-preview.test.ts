import { expect, it } from "vitest";
import { z } from "zod";
import {
  createPerson,
  createTestPipeline,
  testAgent,
  testTenant,
} from "../../../../../test/support/test-pipeline.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { advance } from "../advance.ts";
import { decide } from "../approval/decide.ts";
import { admit } from "./admit.ts";

/** Creates a capability whose preview may be incomplete, and whose basis can change. */
async function ground(policy: Parameters<typeof createPlainPolicy>[0]) {
  const pipeline = await createTestPipeline("incomplete");
  const world = { effects: 0, basis: 1, isCut: true };
  const capability = defineCapability({
    name: "code.commit",
    version: 1,
    summary: "Commits",
    effect: "write",
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    preview: async () => ({
      changes: [
        { kind: "update", target: "main", diff: "+a", ...(world.isCut && { incomplete: true as const }) },
      ],
      basis: world.basis,
    }),
    apply: async () => {
      world.effects += 1;
      return {};
    },
  });
  const ports = pipeline.ports({ policy: createPlainPolicy(policy), catalog: new Catalog([capability]) });
  const ask = async () =>
    (await admit({ principal: testAgent, capability: "code.commit", input: {} }, ports)).call;
  const load = async (call: string) => (await pipeline.store.load({ tenant: testTenant, call }))!;
  const onward = async (call: string) => {
    await advance(await load(call), ports);
    return load(call);
  };
  return { world, ports, ask, onward, load };
}

it("[TRUST 6] a call that needs approval and has an incomplete preview is refused, and no approver is asked", async () => {
  const { ask, world } = await ground({ "code.commit": { ask: 1 } });
  const call = await ask();
  expect(call).toMatchObject({ state: "closed", outcome: { kind: "refused", code: "preview-incomplete" } });
  expect(call.approval).toBeUndefined();
  expect(call.payloads.error?.value).toContain("Split the call");
  expect(world.effects).toBe(0);
});

it("[TRUST 6] a call that needs no approval succeeds despite an incomplete preview", async () => {
  const { ask, onward } = await ground({ "code.commit": "allow" });
  const call = await ask();
  expect(await onward(call.call)).toMatchObject({ outcome: { kind: "succeeded" } });
});

it("[TRUST 6] an approved call is refused, not asked again, if its basis changed and its new preview is incomplete", async () => {
  const { ask, onward, ports, world } = await ground({ "code.commit": { ask: 1 } });
  world.isCut = false;
  const call = await ask();
  const { id: approval, digest } = call.approval!;
  await decide({ approval, digest, voter: createPerson("ana"), decision: "approve" }, ports);
  Object.assign(world, { isCut: true, basis: 2 });
  expect(await onward(call.call)).toMatchObject({ outcome: { kind: "refused", code: "preview-incomplete" } });
  expect(world.effects).toBe(0);
});
