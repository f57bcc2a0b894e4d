import { createServer, type Server } from "node:net";
import { defineAdapter, defineCapability, type OpenAdapter } from "@paraph/core";
import { z } from "zod";
import { defineTrial } from "../trial.ts";
import { emptyShelf, ShelfFile } from "./shelf.ts";

/** An adapter with faults that are no capability's, or with none: the query of this module's address says which. */
const faulty = new URL(import.meta.url).searchParams.get("faulty") === "true";

const whole = defineAdapter({
  kind: "whole",
  config: z.strictObject({}),
  open: async (_, { folder, name }): Promise<OpenAdapter> => {
    const shelf = new ShelfFile(folder);
    const server = await listening();
    const look = defineCapability({
      name: `${name}.look`,
      version: 1,
      effect: "read",
      idempotency: "natural",
      summary: faulty ? `Look, says ${process.pid}` : "Look",
      input: z.strictObject({}),
      output: z.strictObject({ count: z.int() }),
      apply: async () => ({ count: (await shelf.read()).stains.length }),
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
      capabilities: async () => [look, ...(faulty ? [look, other] : [])],
      health: async () =>
        faulty ? { kind: "degraded", code: "not-well", message: "It is not well." } : { kind: "well" },
      observe: async (cursor) => {
        const { stains } = await shelf.read();
        const seen = faulty ? 0 : Number(cursor ?? 0);
        return {
          observations: stains
            .map((_, index) => ({ id: `${index}`, kind: "stained", subject: "shelf", data: {} }))
            .slice(seen),
          cursor: `${stains.length}`,
        };
      },
      close: async () => {
        if (!faulty) server.close();
      },
    };
  },
});

async function listening(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

export default defineTrial({
  name: "whole",
  adapter: whole({}),
  reset: ({ folder }) => new ShelfFile(folder).write(emptyShelf),
  picture: async ({ folder }) => JSON.stringify(await new ShelfFile(folder).read()),
  happen: ({ folder }) => new ShelfFile(folder).stain(),
  cases: [{ capability: "whole.look", input: {} }],
});
