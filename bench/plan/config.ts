// The configuration of the measured processes: a write without an approval, with a preview and its own lock.
import { defineCapability } from "@paraph/core";
import { type Config, defineConfig } from "@paraph/server";
import { z } from "zod";

const renameCapability = defineCapability({
  name: "bench.rename",
  version: 1,
  summary: "Renames",
  effect: "write",
  idempotency: "keyed",
  input: z.object({ sign: z.string(), name: z.string() }),
  output: z.object({ name: z.string() }),
  locks: ({ sign }) => [`sign:${sign}`],
  preview: async ({ sign, name }) => ({
    changes: [{ kind: "update", target: sign, summary: `To ${name}` }],
    basis: { revision: 1 },
  }),
  apply: async ({ name }) => ({ name }),
  undo: ({ sign }) => ({ capability: "bench.rename", input: { sign, name: "before" } }),
});

export const planConfig: Config = defineConfig({
  policy: "balanced",
  capabilities: [renameCapability],
  unattended: ["bench.rename"],
});
