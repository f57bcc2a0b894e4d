import { expect, it } from "vitest";
import { createPlanFixture } from "../../../../../test/support/plan-fixture.ts";
import { testAgent } from "../../../../../test/support/test-pipeline.ts";
import { previewOnly } from "./preview-only.ts";

const request = { principal: testAgent, capability: "box.put", input: { box: "b", value: "1" } };

it("[P3] a preview shows the changes and the ruling, and records and performs nothing", async () => {
  const { ports, store, world } = await createPlanFixture({ "box.put": { ask: 1 } });
  expect(await previewOnly(request, ports)).toMatchObject({
    kind: "ruled",
    preview: { changes: [{ target: "b", summary: "1" }] },
    ruledCall: { ruling: { kind: "ask" } },
  });
  expect(store.calls()).toEqual([]);
  expect(world.log).toEqual([]);
});

it("[TRUST 25] a freeze also stops previews, because they read the external system", async () => {
  const { ports } = await createPlanFixture();
  const freeze = { id: "freeze_1", kind: "tenant", by: "ana" } as never;
  const frozen = { ...ports, freezes: { inForce: () => freeze } };
  await expect(previewOnly(request, frozen)).rejects.toMatchObject({ code: "frozen" });
});
