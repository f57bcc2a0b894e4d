// The configuration of the measured processes: what people are asked about, and a write that asks nobody.
import { type Capability, defineCapability } from "@paraph/core";
import { type Config, defineConfig } from "@paraph/server";
import { z } from "zod";

/** When each call was begun to be carried out in this process, by the machine's clock. */
export const begun: { readonly call: string; readonly at: number }[] = [];

/** What agents ask about: so many capabilities, all alike. */
export const topics = Array.from({ length: 10 }, (_, n) => `bench.topic${n}`);

function asked(name: string): Capability {
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
      begun.push({ call, at: Date.now() });
      return { done: true };
    },
  });
}

const write = defineCapability({
  name: "bench.write",
  version: 1,
  summary: "Nothing",
  effect: "write",
  idempotency: "keyed",
  input: z.object({ name: z.string() }),
  output: z.object({ done: z.boolean() }),
  apply: async () => ({ done: true }),
});

export const config: Config = defineConfig({
  policy: "balanced",
  capabilities: [...topics.map(asked), write],
  unattended: ["bench.write"],
});
