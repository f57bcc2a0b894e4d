import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createTestPipeline, testAgent, testTenant } from "../../../../../test/support/test-pipeline.ts";
import type { CapabilityDefinition, ExecutionContext, Progress } from "../../capability/capability.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import type { Ports } from "../../ports.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { advance } from "../advance.ts";
import { checkOutput } from "./attempt.ts";

type Definition = CapabilityDefinition<z.ZodType, z.ZodType>;

const base = {
  name: "box.put",
  version: 1,
  summary: "Puts",
  effect: "write",
  idempotency: "natural",
  input: z.object({ secret: z.string().optional() }),
  output: z.any(),
} as const;

/** Performs one call of a capability, and returns it as it is then. */
async function perform(
  apply: (context: ExecutionContext) => Promise<unknown>,
  more: object = {},
  own: Partial<Ports> = {},
) {
  const pipeline = await createTestPipeline("attempt");
  const capability = defineCapability({
    ...base,
    ...more,
    apply: async (_input: unknown, context: ExecutionContext) => apply(context),
  } as unknown as Definition);
  const ports = pipeline.ports({
    policy: createPlainPolicy({ "box.put": "allow" }),
    catalog: new Catalog([capability]),
    ...own,
  });
  const { call } = await admit({ principal: testAgent, capability: "box.put", input: {} }, ports);
  await advance({ tenant: testTenant, call: call.call }, ports);
  return (await pipeline.store.load({ tenant: testTenant, call: call.call }))!;
}

describe("an attempt", () => {
  it("gets the secrets of its own tenant", async () => {
    const asked: string[] = [];
    const credentials = {
      resolve: async (tenant: string, name: string) => {
        asked.push(`${tenant}/${name}`);
        return "value";
      },
    };
    const call = await perform(
      async ({ credential }) => ({ length: (await credential("TOKEN")).length }),
      {},
      { credentials },
    );
    expect(asked).toEqual(["acme/TOKEN"]);
    expect(call).toMatchObject({
      outcome: { kind: "succeeded" },
      payloads: { output: { value: { length: 5 } } },
    });
  });

  it.each([
    ["with its output", {}, { message: "half", output: "line" }],
    ["[TRUST 16] without its output if a field is sensitive", { sensitive: ["secret"] }, { message: "half" }],
  ])("reports its progress to watchers %s", async (_what, more, expected) => {
    const seen: [number, Progress][] = [];
    const progress: Ports["progress"] = (_call, attempt, told) => void seen.push([attempt, told]);
    await perform(
      async (context) => {
        context.progress({ message: "half", output: "line" });
        context.progress(undefined as never);
        return {};
      },
      more,
      { progress },
    );
    expect(seen).toEqual([
      [1, expected],
      [1, {}],
    ]);
  });

  it("[P9] whose output is too large or has no canonical form has acted, and its output is withheld", async () => {
    const large = await perform(async () => "x".repeat(4 * 1024 * 1024 + 1));
    expect(large).toMatchObject({ outcome: { kind: "succeeded", code: "output-too-large" } });
    expect(large.payloads.output).toBeUndefined();
    const odd = await perform(async () => "\ud83d");
    expect(odd).toMatchObject({ outcome: { kind: "succeeded", code: "output-invalid" } });
    expect(odd.payloads.output).toBeUndefined();
  });
});

it("[P9] an output that its schema does not accept is withheld", () => {
  const capability = defineCapability({
    ...base,
    output: z.object({ n: z.int() }),
    apply: async () => ({ n: 1 }),
  });
  expect(checkOutput(capability, { n: 1 })).toEqual({ output: { n: 1 }, code: "done" });
  expect(checkOutput(capability, { n: "1" })).toEqual({ output: undefined, code: "output-invalid" });
});
