// The configuration of the measured process: a write that policy allows, and one that waits for people.
import { defineCapability } from "@paraph/core";
import { type Config, defineConfig } from "@paraph/server";
import { z } from "zod";

const defineWrite = (name: string, risk: "low" | "high") =>
  defineCapability({
    name,
    version: 1,
    summary: "Counts",
    effect: "write",
    risk,
    idempotency: "keyed",
    input: z.object({ name: z.string() }),
    output: z.object({ done: z.boolean() }),
    apply: async () => ({ done: true }),
  });

export const sizeConfig: Config = defineConfig({
  policy: "balanced",
  capabilities: [defineWrite("bench.write", "low"), defineWrite("bench.ask", "high")],
  unattended: ["bench.write"],
});
