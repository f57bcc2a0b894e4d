import { expect, it, vi } from "vitest";
import { z } from "zod";
import { createTestPipeline, testAgent } from "../../../../../test/support/test-pipeline.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "./admit.ts";

async function bench() {
  const pipeline = await createTestPipeline("join");
  const read = (name: string) =>
    defineCapability({
      name,
      version: 1,
      summary: "Reads",
      effect: "read",
      idempotency: "natural",
      input: z.object({}),
      output: z.object({}),
      apply: async () => ({}),
    });
  const plain = pipeline.ports({
    policy: createPlainPolicy({ "page.open": "allow", "page.secret": { ask: 1 } }),
    catalog: new Catalog([read("page.open"), read("page.secret")]),
  });
  const findDuplicate = vi.spyOn(plain.store, "findDuplicate");
  const ask = (capability: string, more: { onBehalfOf?: string; key?: string } = {}) => {
    const { onBehalfOf, key } = more;
    const principal = { ...testAgent, ...(onBehalfOf !== undefined && { onBehalfOf }) };
    const session = { session: "chat" };
    return admit({ principal, capability, input: {}, session, ...(key !== undefined && { key }) }, plain);
  };
  return { ask, findDuplicate };
}

it("[TRUST 19] a repeated request of the same session joins a read that waits for approval", async () => {
  const { ask } = await bench();
  const { call } = await ask("page.secret");
  expect(await ask("page.secret")).toMatchObject({ joinedDuplicate: true, call: { call: call.call } });
});

it("[TRUST 8] [P1] requests of one agent for two people are separate calls and cannot share an idempotency key", async () => {
  const { ask } = await bench();
  const { call } = await ask("page.secret", { onBehalfOf: "ana" });
  expect((await ask("page.secret", { onBehalfOf: "ana" })).call.call).toBe(call.call);
  expect((await ask("page.secret", { onBehalfOf: "bo" })).call.call).not.toBe(call.call);
  await ask("page.secret", { onBehalfOf: "ana", key: "k" });
  await expect(ask("page.secret", { onBehalfOf: "bo", key: "k" })).rejects.toMatchObject({
    code: "key-reused",
  });
});

it("a read that policy allows completes immediately, without a search for duplicates", async () => {
  const { ask, findDuplicate } = await bench();
  expect((await ask("page.open")).call.outcome?.kind).toBe("succeeded");
  expect(await ask("page.open")).toMatchObject({ known: false, call: { state: "closed" } });
  expect(findDuplicate).not.toHaveBeenCalled();
});
