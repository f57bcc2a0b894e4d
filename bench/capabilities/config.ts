// The configuration of the measured processes. The environment sets the number of capabilities, with ten per adapter.
// Most are reads and writes, a few are destructive, and each has its own schema.
import { type Capability, defineAdapter, defineCapability } from "@paraph/core";
import { type Config, defineConfig } from "@paraph/server";
import { z } from "zod";

const perAdapter = 10;

const generatedAdapter = defineAdapter({
  kind: "made",
  config: z.strictObject({ capabilities: z.int() }),
  open: ({ capabilities }, { name }) => ({
    capabilities: async () => Array.from({ length: capabilities }, (_, n) => createCapability(name, n)),
  }),
});

function createCapability(adapter: string, n: number): Capability {
  const effect = n % 2 === 0 ? "read" : n % 9 === 0 ? "destroy" : "write";
  return defineCapability({
    name: `${adapter}.verb${n}`,
    version: 1,
    summary: `Does the ${n}th thing`,
    effect,
    idempotency: "natural",
    input: z.object({
      name: z.string().max(200),
      count: z.int().min(0).optional(),
      tags: z.array(z.string()).max(20).optional(),
      [`field${n}`]: z.object({ a: z.string(), b: z.int() }).optional(),
    }),
    output: z.object({ done: z.boolean() }),
    apply: async () => ({ done: true }),
  });
}

const adapters = Number(process.env.CAPABILITIES ?? perAdapter) / perAdapter;

export const capabilitiesConfig: Config = defineConfig({
  policy: "balanced",
  adapters: Object.fromEntries(
    Array.from({ length: adapters }, (_, n) => [
      `system${n}`,
      generatedAdapter({ capabilities: perAdapter }),
    ]),
  ),
  rules: [{ capability: "system0.verb1", allow: "unattended" }],
});
