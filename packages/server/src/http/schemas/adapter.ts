import { z } from "@hono/zod-openapi";
import { sha256Schema, timeSchema } from "./common.ts";

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
    seenAt: timeSchema.optional().openapi({
      description: "When the adapter last answered this process. Missing if it has not answered yet.",
    }),
    capabilities: z.int(),
    digest: z.string().openapi({ description: "Digest of the contracts of all its capabilities." }),
  })
  .openapi("Adapter");

export const pendingDefinitionSchema = z
  .object({
    id: z.string().openapi({ example: "tool:send_mail" }),
    digest: sha256Schema.openapi({ description: "The digest to approve with `admin.mcp_approve`." }),
    kind: z.enum(["changed", "new"]),
    suspicions: z.array(z.string()).openapi({
      description:
        "`instructions`: it reads like instructions to the model. `hidden-characters`: it hides characters.",
    }),
    diff: z.string().openapi({
      description: "Unified diff from the approved definition. Hidden characters are made visible.",
    }),
  })
  .openapi("PendingDefinition");
