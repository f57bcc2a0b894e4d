import { defineAdapter } from "@paraph/core";
import { z } from "zod";
import { type ConformanceCase, defineConformanceTest } from "../conformance-test.ts";
import { correctPin, createMutatedCapabilities, expectedFailures } from "./mutations.ts";
import { emptyState, SampleStore } from "./sample-store.ts";

const sampleAdapter = defineAdapter({
  kind: "shelf",
  config: z.strictObject({}),
  open: (_, { folder }) => {
    const capabilities = createMutatedCapabilities(new SampleStore(folder));
    return { capabilities: async () => capabilities };
  },
});

/** Expensive verifications run only for the mutations that they must find, and for one capability without faults. */
const cases = Object.entries(expectedFailures).map(([capability, fault]): ConformanceCase => {
  const whole = capability === "shelf.sound";
  return {
    capability,
    input: { text: "a text", ...((whole || fault === "sensitive") && { pin: correctPin }) },
    changeBasis: ({ folder }) => new SampleStore(folder).setItem(capability, "somebody else's"),
    // One crash inside the faulty pause is enough. On a busy machine, some crashes miss the pause.
    crashes: whole ? 3 : fault === "crash" ? 12 : 0,
    // The faulty capabilities fail at any grace. The capability without faults must not fail on a busy machine.
    ...((whole || fault === "deadline") && {
      slow: { input: { text: "slow" }, deadlineMs: 150, graceMs: whole ? 30_000 : 500 },
    }),
    ...((whole || fault === "large") && { large: [{ text: "x".repeat(1024 * 1024) }] }),
  };
});

export default defineConformanceTest({
  name: "shelf",
  adapter: sampleAdapter({}),
  reset: ({ folder }) => new SampleStore(folder).write(emptyState),
  snapshot: async ({ folder }) => {
    const { items, stains } = await new SampleStore(folder).read();
    return JSON.stringify({ items, stains }, undefined, 1);
  },
  cases,
});
