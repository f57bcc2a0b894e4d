// The configuration of the measured processes: the smallest possible write, read and approval request.
import { type Capability, defineCapability } from "@paraph/core";
import { type Config, defineConfig } from "@paraph/server";
import { z } from "zod";

let count = 0;

/** Returns how many effects this process has performed. */
export const countEffects = (): number => count;

/** Performs the effect without any governance. */
export async function performEffect(): Promise<{ done: boolean }> {
  count++;
  return { done: true };
}

const input = z.object({ name: z.string() });

function createWriteCapability(name: string, summary: string): Capability {
  return defineCapability({
    name,
    version: 1,
    summary,
    effect: "write",
    idempotency: "keyed",
    input,
    output: z.object({ done: z.boolean() }),
    apply: performEffect,
  });
}

const readCapability = defineCapability({
  name: "bench.read",
  version: 1,
  summary: "Reads a name",
  effect: "read",
  idempotency: "natural",
  input,
  output: z.object({ name: z.string() }),
  apply: async ({ name }) => ({ name }),
});

export const callConfig: Config = defineConfig({
  policy: "balanced",
  policies: ["policies.cedar"],
  capabilities: [
    createWriteCapability("bench.write", "Counts"),
    createWriteCapability("bench.ask", "Counts, once a person agrees"),
    readCapability,
  ],
  unattended: ["bench.write"],
});

/** The number of policies: five of the preset, and five in `policies.cedar`. */
export const policyCount = 10;
