import { z } from "@hono/zod-openapi";

export const adapterSchema = z
  .object({
    name: z.string().openapi({ example: "repo" }),
    kind: z.string().openapi({ example: "git" }),
    state: z.enum(["ready", "degraded", "unavailable"]).openapi({
      description:
        "`degraded`: the adapter is open, but its external system does not answer. `unavailable`: the adapter could not be opened, so its capabilities cannot be called.",
    }),
    code: z.string().optional(),
    message: z.string().optional().openapi({ description: "The problem, and how to fix it." }),
    capabilities: z.int(),
    digest: z.string().openapi({ description: "Digest of the contracts of all its capabilities." }),
  })
  .openapi("Adapter");
