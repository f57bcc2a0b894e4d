import { z } from "@hono/zod-openapi";
import { principal, time } from "./common.ts";

const kind = principal.shape.kind;
const scopes = z.array(z.string()).openapi({
  description: "How far it reaches; missing: as far as its principal.",
  example: ["calls:files.*"],
});

export const me = principal
  .extend({
    onBehalfOf: z.string().optional().openapi({ description: "The person it acts for, by its token." }),
    groups: z.array(z.string()).openapi({ description: "Roles among them: `paraph:admins`." }),
    how: z.enum(["key", "token", "session"]).openapi({ description: "How you proved who you are." }),
    scopes: scopes.optional(),
    expiresAt: time.optional(),
  })
  .openapi("Me", {
    example: {
      tenant: "acme",
      id: "support-bot",
      kind: "agent",
      owner: "ana",
      groups: ["support"],
      how: "key",
    },
  });

export const principalSummary = z
  .object({
    id: z.string(),
    kind,
    owner: z.string().optional(),
    groups: z.array(z.string()),
    createdAt: time,
    disabledAt: time.optional().openapi({ description: "Missing unless the principal is disabled." }),
  })
  .openapi("PrincipalSummary");

export const group = z
  .object({ group: z.string(), members: z.array(z.string()) })
  .openapi("Group", { example: { group: "paraph:admins", members: ["ana"] } });

export const apiKey = z
  .object({
    key: z.string().openapi({ description: "Its id; the key itself is known only to who made it." }),
    principal: z.string(),
    scopes: scopes.optional(),
    label: z.string().optional(),
    createdBy: z.string().optional(),
    createdAt: time,
    expiresAt: time.optional(),
    revokedAt: time.optional(),
    lastUsed: time.optional().openapi({ description: "To the minute." }),
  })
  .openapi("ApiKey");
