// The configuration of the measured processes: capabilities that need an approval, and a read and two writes that need none.
import { type Capability, defineCapability } from "@paraph/core";
import { type Config, defineConfig } from "@paraph/server";
import { z } from "zod";

/** The time at which each call was started in this process, by the machine's clock. */
export const startedCalls: { readonly call: string; readonly at: number }[] = [];

/** The capabilities that need an approval. All are alike. */
export const topicCapabilities = Array.from({ length: 10 }, (_, n) => `bench.topic${n}`);

/** Its requests expire before all others, so an inbox shows them first. */
export const urgentCapability = "bench.urgent";

function createAskedCapability(name: string, risk?: "critical"): Capability {
  return defineCapability({
    name,
    version: 1,
    summary: "Renames, once a person agrees",
    effect: "write",
    ...(risk && { risk }),
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

function createWriteCapability(name: string, locks: readonly string[]): Capability {
  return defineCapability({
    name,
    version: 1,
    summary: "Nothing",
    effect: "write",
    idempotency: "keyed",
    input: z.object({ name: z.string() }),
    output: z.object({ done: z.boolean() }),
    locks: () => locks,
    apply: async () => ({ done: true }),
  });
}

const readCapability = defineCapability({
  name: "bench.read",
  version: 1,
  summary: "Reads a name",
  effect: "read",
  idempotency: "natural",
  input: z.object({ name: z.string() }),
  output: z.object({ name: z.string() }),
  apply: async ({ name }) => ({ name }),
});

export const approvalsConfig: Config = defineConfig({
  policy: "balanced",
  capabilities: [
    ...topicCapabilities.map((name) => createAskedCapability(name)),
    createAskedCapability(urgentCapability, "critical"),
    readCapability,
    createWriteCapability("bench.write", []),
    // All calls of this capability need the same lock, so they run one after another.
    createWriteCapability("bench.locked", ["one"]),
  ],
  unattended: ["bench.write", "bench.locked"],
});
