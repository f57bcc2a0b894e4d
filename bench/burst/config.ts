// The configuration of the measured processes: the smallest possible write, allowed without an approval.
import { defineCapability } from "@paraph/core";
import { type Config, defineConfig } from "@paraph/server";
import { z } from "zod";

const writeCapability = defineCapability({
  name: "bench.write",
  version: 1,
  summary: "Counts",
  effect: "write",
  idempotency: "keyed",
  input: z.object({ name: z.string() }),
  output: z.object({ done: z.boolean() }),
  apply: async () => ({ done: true }),
});

export const burstConfig: Config = defineConfig({
  policy: "balanced",
  capabilities: [writeCapability],
  unattended: ["bench.write"],
});
