import { z } from "@hono/zod-openapi";
import { principalSchema, timeSchema } from "./common.ts";

const kind = principalSchema.shape.kind;
const scopesSchema = z.array(z.string()).openapi({
  description: "Scopes. Missing: everything that the principal may do.",
  example: ["calls:files.*"],
});

export const meSchema = principalSchema
  .extend({
    onBehalfOf: z
      .string()
      .optional()
      .openapi({ description: "The person it acts for, according to its token." }),
    groups: z.array(z.string()).openapi({ description: "Groups, including roles such as `paraph:admins`." }),
    how: z.enum(["key", "token", "session"]).openapi({ description: "How you authenticated." }),
    scopes: scopesSchema.optional(),
    expiresAt: timeSchema.optional(),
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

export const principalSummarySchema = z
  .object({
    id: z.string(),
    kind,
    owner: z.string().optional(),
    groups: z.array(z.string()),
    createdAt: timeSchema,
    disabledAt: timeSchema.optional().openapi({ description: "Missing unless the principal is disabled." }),
    channels: z.array(z.string()).optional().openapi({
      description:
        "Configured channels with an address or a device of the person. Missing if no channel is configured.",
    }),
  })
  .openapi("PrincipalSummary");

export const groupSchema = z
  .object({ group: z.string(), members: z.array(z.string()) })
  .openapi("Group", { example: { group: "paraph:admins", members: ["ana"] } });

export const passkeySchema = z
  .object({
    credential: z.string().openapi({ description: "Id of the WebAuthn credential, as base64url." }),
    person: z.string(),
    label: z.string(),
    publicKey: z.string().openapi({ description: "Public key in COSE form, as base64url." }),
    fingerprint: z.string().openapi({ description: "Digits with which people compare the public key." }),
    createdAt: timeSchema,
    usedAt: timeSchema.optional(),
  })
  .openapi("Passkey");

export const apiKeySchema = z
  .object({
    key: z.string().openapi({ description: "Id of the key. Only its creator knows the key itself." }),
    principal: z.string(),
    scopes: scopesSchema.optional(),
    label: z.string().optional(),
    createdBy: z.string().optional(),
    createdAt: timeSchema,
    expiresAt: timeSchema.optional(),
    revokedAt: timeSchema.optional(),
    lastUsed: timeSchema.optional().openapi({ description: "Accurate to the minute." }),
  })
  .openapi("ApiKey");
