// The configuration of the measured processes: capabilities that need an approval, and a write that needs none.
import { type Capability, defineCapability } from "@paraph/core";
import { type Config, defineConfig } from "@paraph/server";
import { z } from "zod";

/** The time at which each call was started in this process, by the machine's clock. */
export const startedCalls: { readonly call: string; readonly at: number }[] = [];

/** The capabilities that need an approval. All are alike. */
export const topicCapabilities = Array.from({ length: 10 }, (_, n) => `bench.topic${n}`);

function createAskedCapability(name: string): Capability {
  return defineCapability({
    name,
    version: 1,
    summary: "Renames, once a person agrees",
    effect: "write",
    idempotency: "keyed",
    input: z.object({ name: z.string() }),
    output: z.object({ done: z.boolean() }),
    preview: async (input) => ({
      changes: [{ kind: "update", target: "sign", summary: `To ${input.name}` }],
      basis: { revision: 1 },
    }),
    async apply(_, { call }) {
      startedCalls.push({ call, at: Date.now() });
      return { done: true };
    },
  });
}

const writeCapability = defineCapability({
  name: "bench.write",
  version: 1,
  summary: "Nothing",
  effect: "write",
  idempotency: "keyed",
  input: z.object({ name: z.string() }),
  output: z.object({ done: z.boolean() }),
  apply: async () => ({ done: true }),
});

export const approvalsConfig: Config = defineConfig({
  policy: "balanced",
  capabilities: [...topicCapabilities.map(createAskedCapability), writeCapability],
  unattended: ["bench.write"],
});
