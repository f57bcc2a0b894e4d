import { z } from "zod";
import type { Call } from "../../packages/core/src/call.ts";
import { defineCapability } from "../../packages/core/src/capability/capability.ts";
import { Catalog } from "../../packages/core/src/capability/catalog.ts";
import { CapabilityError } from "../../packages/core/src/capability/fault.ts";
import type { Json } from "../../packages/core/src/json.ts";
import { admit } from "../../packages/core/src/pipeline/admission/admit.ts";
import { advance } from "../../packages/core/src/pipeline/advance.ts";
import { decide } from "../../packages/core/src/pipeline/approval/decide.ts";
import { planApplyCapability } from "../../packages/core/src/plan/plan-capability.ts";
import type { PlanRequest } from "../../packages/core/src/plan/plan-document.ts";
import type { Principal } from "../../packages/core/src/principal.ts";
import { verifyReceipt } from "../../packages/core/src/receipts/verify.ts";
import type { Wake } from "../../packages/core/src/store.ts";
import { createPlainPolicy, type PlainRule } from "../../packages/core/src/testing/plain-policy.ts";
import { createPerson, createTestPipeline, testAgent, testTenant } from "./test-pipeline.ts";

/** Creates a store of boxes that records the order of its changes. */
function createBoxStore() {
  const boxes = new Map<string, string>();
  const log: string[] = [];
  const broken = new Set<string>();
  const lost = new Set<string>();
  const put = defineCapability({
    name: "box.put",
    version: 1,
    summary: "Puts",
    effect: "write",
    idempotency: "none",
    retry: { retries: 0 },
    input: z.object({ box: z.string(), value: z.string() }),
    output: z.object({ box: z.string(), was: z.string().nullable() }),
    locks: ({ box }) => [box],
    preview: async ({ box, value }) => ({
      changes: [{ kind: "update", target: box, summary: value }],
      basis: boxes.get(box) ?? null,
    }),
    apply: async ({ box, value }) => {
      if (broken.has(box)) throw new CapabilityError("permanent", "broken", "broken");
      if (lost.has(box)) throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
      const was = boxes.get(box) ?? null;
      boxes.set(box, value);
      log.push(`${box}=${value}`);
      return { box, was };
    },
    undo: ({ box }, { was }) =>
      was === null
        ? { capability: "box.clear", input: { box } }
        : { capability: "box.put", input: { box, value: was } },
  });
  const clear = defineCapability({
    name: "box.clear",
    version: 1,
    summary: "Clears",
    effect: "write",
    idempotency: "natural",
    input: z.object({ box: z.string() }),
    output: z.object({}),
    locks: ({ box }) => [box],
    preview: async ({ box }) => ({
      changes: [{ kind: "delete", target: box }],
      basis: boxes.get(box) ?? null,
    }),
    apply: async ({ box }) => {
      boxes.delete(box);
      log.push(`${box}!`);
      return {};
    },
  });
  return { boxes, log, broken, lost, capabilities: [put, clear] };
}

/** Creates a pipeline for plans and their steps over the model store, which a test advances step by step. */
export async function createPlanFixture(
  rules: Record<string, PlainRule> = {},
  more: Parameters<typeof defineCapability>[0][] = [],
) {
  const pipeline = await createTestPipeline("plans");
  pipeline.store.addPrincipal(createPerson("bo"));
  const world = createBoxStore();
  const policy = createPlainPolicy({
    "plan.apply": "allow",
    "box.put": "allow",
    "box.clear": "allow",
    ...rules,
  });
  const ports = pipeline.ports({
    policy,
    catalog: new Catalog([
      planApplyCapability,
      ...world.capabilities,
      ...more.map((one) => defineCapability(one)),
    ]),
  });
  const load = async (call: string) => (await pipeline.store.load({ tenant: testTenant, call }))!;
  /** Runs every due or sent message until none is left. */
  const settle = async (wakes: readonly Wake[]) => {
    const queue = [...wakes];
    for (let n = 0; queue.length > 0; n += 1) {
      if (n > 500) throw new Error("it does not come to rest");
      const wake = queue.shift()!;
      if (wake.at !== undefined && wake.at > pipeline.clock.now()) continue;
      queue.push(...(await advance(wake, ports)).wakes);
    }
  };
  const place = async (capability: string, input: Json) => {
    const { call, wakes } = await admit({ principal: testAgent, capability, input }, ports);
    await settle(wakes);
    return load(call.call);
  };
  const children = (call: Call) => pipeline.store.children(call);
  const vote = async (
    call: Call,
    decision: "approve" | "deny",
    declined: readonly string[] = [],
    voter: Principal = createPerson("ana"),
  ) => {
    const { id, digest } = call.approval!;
    const { wakes } = await decide({ approval: id, digest, decision, voter, declined }, ports);
    await settle(wakes);
    return load(call.call);
  };
  const verified = async (call: string) =>
    verifyReceipt(
      {
        mediaType: "application/vnd.paraph.receipt.v1+json",
        envelope: pipeline.store.envelope({ tenant: testTenant, call }),
        disclosures: {},
      },
      [pipeline.signer.publicKey],
    );
  return { ...pipeline, ports, world, load, settle, place, children, vote, verified };
}

export const putStep = (id: string, box: string, value: Json, more: object = {}) => ({
  id,
  capability: "box.put",
  input: { box, value },
  ...more,
});
export const toPlanJson = (steps: PlanRequest["steps"], onFailure: PlanRequest["onFailure"] = "stop"): Json =>
  JSON.parse(JSON.stringify({ version: 1, onFailure, steps }));
