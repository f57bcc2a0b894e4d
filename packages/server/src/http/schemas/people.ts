import { z } from "@hono/zod-openapi";
import { registrationSchema } from "../../passkeys/ceremonies.ts";
import { createIdSchema, principalSchema, timeSchema } from "./common.ts";

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
    state: z
      .enum(["active", "invited", "frozen", "disabled"])
      .openapi({ description: "`invited` is a person who has never logged in." }),
    groups: z.array(z.string()),
    createdAt: timeSchema,
    lastUsed: timeSchema.optional().openapi({
      description:
        "Last use of an API key or of a session that has not ended, accurate to the minute. Tokens of an identity provider do not count.",
    }),
    disabledAt: timeSchema.optional().openapi({ description: "Missing unless the principal is disabled." }),
    channels: z.array(z.string()).optional().openapi({
      description:
        "Configured channels with an address or a device of the person. Missing if no channel is configured.",
    }),
  })
  .openapi("PrincipalSummary");

export const principalDetailsSchema = principalSummarySchema
  .extend({
    sessions: z
      .array(z.object({ seenAt: timeSchema, endsAt: timeSchema }))
      .openapi({ description: "Browser sessions in force, the last used first, at most 100." }),
    limits: z
      .array(
        z.object({
          limit: z.string().openapi({ description: "Name of the limit.", example: "limit-1-per-principal" }),
          kind: z.enum(["calls", "money", "concurrency"]),
          capability: z.string().optional().openapi({
            description: "The capability that is counted, if the limit counts each one separately.",
          }),
          shared: z.boolean().openapi({ description: "Whether calls of other principals count too." }),
          used: z.number().openapi({ description: "Used in the current window. Money is in minor units." }),
          max: z.number(),
          windowMs: z
            .int()
            .optional()
            .openapi({ description: "Length of the window. Missing for concurrency." }),
          resetsAt: timeSchema
            .optional()
            .openapi({ description: "End of the current window. Missing if nothing is used." }),
        }),
      )
      .openapi({
        description:
          "The configured limits that count the calls of this principal, the most used first. A limit per capability is listed once it is used.",
      }),
  })
  .openapi("PrincipalDetails");

export const groupSchema = z
  .object({ group: z.string(), members: z.array(z.string()) })
  .openapi("Group", { example: { group: "paraph:admins", members: ["ana"] } });

const personIdSchema = z.string().min(1).max(255);

export const delegationSchema = z
  .object({
    delegation: createIdSchema("delegation_01k2m4x7q3"),
    person: personIdSchema.openapi({ description: "The absent person." }),
    delegate: personIdSchema.openapi({
      description: "The delegate, who votes with the absent person's groups.",
    }),
    from: timeSchema,
    until: timeSchema,
    by: z.string(),
    at: timeSchema,
  })
  .openapi("Delegation");

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

export const passkeyEnrolmentSchema = z
  .object({
    challenge: z
      .string()
      .openapi({ description: "The challenge of your session for a new passkey, as base64url." }),
    rpId: z.string().openapi({ description: "The host name to which browsers bind the passkey." }),
    origin: z.string().openapi({ description: "The only origin from which Paraph accepts the passkey." }),
    person: z.string().openapi({ description: "You." }),
    credentials: z
      .array(z.string())
      .openapi({ description: "The ids of your enrolled passkeys, as base64url." }),
    algorithms: z.array(z.int()).openapi({ description: "The COSE algorithms that Paraph accepts." }),
  })
  .openapi("PasskeyEnrolment");

export const newPasskeySchema = z
  .strictObject({
    label: z.string().min(1).max(64).openapi({ description: "Name of the passkey, for people." }),
    // A schema of another module has no `openapi` if that module was loaded before this one.
    registration: z.strictObject(registrationSchema.shape).openapi({
      description: "What `navigator.credentials.create` returned, each value as base64url.",
    }),
  })
  .openapi("NewPasskey");

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
