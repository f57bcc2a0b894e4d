import { expect, it } from "vitest";
import { z } from "zod";
import { createTestPipeline, testAgent } from "../../../../../test/support/test-pipeline.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { CapabilityError } from "../../capability/fault.ts";
import { planApplyCapability } from "../../plan/plan-capability.ts";
import type { Telemetry } from "../../ports.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";

async function bench() {
  const pipeline = await createTestPipeline("measurements");
  const measured: Parameters<Telemetry["measure"]>[] = [];
  const look = defineCapability({
    name: "slow.look",
    version: 1,
    summary: "Look",
    effect: "write",
    idempotency: "natural",
    input: z.object({ broken: z.boolean().default(false) }),
    output: z.object({}),
    preview: async ({ broken }) => {
      await pipeline.clock.advance(1_500);
      if (broken) throw new CapabilityError("permanent", "no-such-thing", "There is no such thing.");
      return { changes: [{ kind: "other", target: "t" }], basis: null };
    },
    apply: async () => ({}),
  });
  const ports = pipeline.ports({
    policy: createPlainPolicy({ "slow.look": "allow", "plan.apply": "allow" }),
    catalog: new Catalog([look, planApplyCapability]),
    telemetry: { span: (_name, _about, body) => body(), measure: (...one) => void measured.push(one) },
  });
  return {
    measured,
    request: (capability: string, input: object) =>
      admit({ principal: testAgent, capability, input: input as never }, ports),
  };
}

const about = { capability: "slow.look" };

it("[P3] a preview is counted and timed, for itself and for its request", async () => {
  const { measured, request } = await bench();
  await request("slow.look", {});
  expect(measured).toEqual([
    ["executor.preview.count", 1, about],
    ["executor.preview.seconds", 1.5, about],
    ["executor.execution_request.preview.seconds", 1.5, about],
  ]);
});

it("[P3] a preview that fails is counted with its code", async () => {
  const { measured, request } = await bench();
  await request("slow.look", { broken: true });
  expect(measured).toContainEqual(["executor.preview.failures", 1, { ...about, code: "no-such-thing" }]);
});

it("[P13] the preview of a plan measures the number of its steps", async () => {
  const { measured, request } = await bench();
  const steps = ["a", "b"].map((id) => ({ id, capability: "slow.look", input: {} }));
  await request("plan.apply", { version: 1, steps });
  expect(measured).toContainEqual([
    "executor.execution_request.steps.count",
    2,
    { capability: "plan.apply" },
  ]);
});
