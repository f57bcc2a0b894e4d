import { expect, it } from "vitest";
import { z } from "zod";
import { createTestPipeline, testAgent } from "../../../../../test/support/test-pipeline.ts";
import { type Change, defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "./admit.ts";

/** Requests a call whose preview has the change. */
async function requestWithChange(change: object) {
  const pipeline = await createTestPipeline("invalid-preview");
  const capability = defineCapability({
    name: "shop.set_price",
    version: 1,
    summary: "Sets a price",
    effect: "write",
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    preview: async () => ({ changes: [change as Change], basis: 1 }),
    apply: async () => ({}),
  });
  const policy = createPlainPolicy({ "shop.set_price": { ask: 1 } });
  const ports = pipeline.ports({ policy, catalog: new Catalog([capability]) });
  return (await admit({ principal: testAgent, capability: "shop.set_price", input: {} }, ports)).call;
}

it.each([
  ["an unknown field", { kind: "update", target: "tea", befor: 400 }, 'changes.0: Unrecognized key: "befor"'],
  ["an unknown kind", { kind: "change", target: "tea" }, "changes.0.kind"],
  ["no target", { kind: "update" }, "changes.0.target"],
  ["details that are a text", { kind: "update", target: "tea", details: "400" }, "changes.0.details"],
])(
  "[TRUST 6] a call whose preview has %s is refused, because an approver would not see it",
  async (_, change, place) => {
    const call = await requestWithChange(change);
    expect(call).toMatchObject({ state: "closed", outcome: { kind: "refused", code: "preview-failed" } });
    expect(call.payloads.error?.value).toContain(place);
    expect(call.payloads.error?.value).toContain("kind, target, summary, diff, details, incomplete");
  },
);

it("a preview with every field of a change is shown", async () => {
  const change = {
    kind: "update",
    target: "tea",
    summary: "4.00 → 4.50",
    diff: "+a",
    details: { before: 400 },
  };
  const call = await requestWithChange(change);
  expect(call.state).toBe("asking");
  expect(call.payloads.preview?.value).toMatchObject({ changes: [change] });
});
