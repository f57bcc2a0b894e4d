import { createServer, type Server } from "node:net";
import { defineAdapter, defineCapability, type OpenAdapter } from "@paraph/core";
import { z } from "zod";
import { defineConformanceTest } from "../conformance-test.ts";
import { emptyState, SampleStore } from "./sample-store.ts";

/**
 * Whether the adapter has faults in the parts other than its capabilities. The query of this module's URL sets this.
 */
const isFaulty = new URL(import.meta.url).searchParams.get("faulty") === "true";

const sampleAdapter = defineAdapter({
  kind: "whole",
  config: z.strictObject({}),
  open: async (_, { folder, name }): Promise<OpenAdapter> => {
    const samples = new SampleStore(folder);
    const server = await startServer();
    const capability = defineCapability({
      name: `${name}.look`,
      version: 1,
      effect: "read",
      idempotency: "natural",
      summary: isFaulty ? `Look, says ${process.pid}` : "Look",
      input: z.strictObject({}),
      output: z.strictObject({ count: z.int() }),
      apply: async () => ({ count: (await samples.read()).stains.length }),
    });
    const other = defineCapability({
      name: `${name}.other`,
      version: 1,
      summary: "Look elsewhere",
      effect: "read",
      idempotency: "natural",
      input: z.strictObject({}),
      output: z.strictObject({}),
      apply: async () => ({}),
    });
    return {
      capabilities: async () => [capability, ...(isFaulty ? [capability, other] : [])],
      health: async () =>
        isFaulty ? { kind: "degraded", code: "not-well", message: "It is not well." } : { kind: "well" },
      observe: async (cursor) => {
        const { stains } = await samples.read();
        const seen = isFaulty ? 0 : Number(cursor ?? 0);
        return {
          observations: stains
            .map((_, index) => ({ id: `${index}`, kind: "stained", subject: "shelf", data: {} }))
            .slice(seen),
          cursor: `${stains.length}`,
        };
      },
      close: async () => {
        if (!isFaulty) server.close();
      },
    };
  },
});

async function startServer(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

export default defineConformanceTest({
  name: "whole",
  adapter: sampleAdapter({}),
  reset: ({ folder }) => new SampleStore(folder).write(emptyState),
  snapshot: async ({ folder }) => JSON.stringify(await new SampleStore(folder).read()),
  triggerEvent: ({ folder }) => new SampleStore(folder).addStain(),
  cases: [{ capability: "whole.look", input: {} }],
});
