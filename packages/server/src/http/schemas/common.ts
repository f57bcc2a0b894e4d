import { z } from "@hono/zod-openapi";
import { principalIdPatterns, type Scope } from "@paraph/core";
import { type ProblemCode, problemTypes } from "../problem-types.ts";

export const timeSchema = z.iso.datetime().openapi({ example: "2026-03-01T09:30:00.000Z" });
export const sha256Schema = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .openapi({ description: "SHA-256 in hex." });
export const callIdSchema = createIdSchema("call_01k2m4x7p9");
export const freezeIdSchema = createIdSchema("freeze_01k2m4x7p9");
export const approvalIdSchema = createIdSchema("ask_01k2m4x7q3");
export const capabilityNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/, "write it as `adapter.verb`, in lower case")
  .max(128)
  .openapi({ example: "billing.refund" });
/** The schema of ids that the caller chooses. */
export const visibleAsciiSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, "1 to 255 visible ASCII characters");
/** [TRUST 24] The id of an existing principal. PostgreSQL stores no other text, so a query with one would fail. */
export const principalIdSchema = z
  .string()
  .min(1)
  .max(255)
  .refine((id) => principalIdPatterns.existing.test(id), "expected an id without control characters");
export const pageLimitSchema = z.coerce.number().int().min(1).max(100).default(50).openapi({ example: 50 });

export const anyJsonSchema = z.unknown().openapi({ description: "Any JSON value." });
export const jsonObjectSchema = z.record(z.string(), z.unknown());

export const principalSchema = z
  .object({
    tenant: z.string(),
    id: z.string(),
    kind: z.enum(["agent", "person", "service"]),
    owner: z.string().optional().openapi({ description: "The owner: the person who is responsible for it." }),
  })
  .openapi("Principal", { example: { tenant: "acme", id: "support-bot", kind: "agent", owner: "ana" } });

/** The requester of a call. The tenant is always the reader's own, so it is left out. */
export const requesterSchema = principalSchema.omit({ tenant: true }).extend({
  onBehalfOf: z.string().optional().openapi({ description: "The person it acts for." }),
});

export const problemSchema = z
  .object({
    type: z.string().openapi({ example: "https://paraph.dev/docs/errors/call-unknown" }),
    title: z.string().openapi({ example: "No such call" }),
    status: z.int().openapi({ example: 404 }),
    detail: z
      .string()
      .openapi({ example: "There is no such call. `GET /v1/calls` lists the calls that you may see." }),
    instance: z.string().openapi({ example: "req_7d0f2a52-0d38-4b0e-a3c6-6c2f2a0b9a11" }),
    code: z.string().openapi({ example: "call-unknown" }),
  })
  .openapi("Problem", { description: "RFC 9457 problem details; `instance` is the id of the request." });

/** Returns the responses for these problems, by status. It adds `internal`, which any request can cause. */
export function toProblemResponses<const Code extends ProblemCode>(...codes: readonly Code[]) {
  const byStatus = Map.groupBy(
    [...new Set<ProblemCode>([...codes, "internal"])],
    (code) => problemTypes[code].status,
  );
  const responses = [...byStatus].map(([status, same]) => [
    status,
    {
      description: same.map((code) => `\`${code}\`: ${problemTypes[code].title}.`).join(" "),
      content: { "application/problem+json": { schema: problemSchema } },
    },
  ]);
  return Object.fromEntries(responses) as Record<never, never>;
}

export function toJsonResponse<S extends z.ZodType>(schema: S, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/**
 * Returns the security requirement that a narrowed key has one of these scopes. A key that is not narrowed needs none.
 */
export function requireAnyScope(...scopes: readonly [Scope, ...Scope[]]): { key: Scope[] }[] {
  return scopes.map((scope) => ({ key: [scope] }));
}

/**
 * Creates the schema of an id. Paraph's ids have at most 128 letters, digits, `_` and `-`, so any other text is
 * rejected without a lookup.
 */
export function createIdSchema(example: string) {
  return z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/)
    .openapi({ example });
}

/** The problems that any request with a body can have. */
export const bodyProblems = [
  "not-json",
  "not-authenticated",
  "origin-not-allowed",
  "scope-missing",
  "body-too-large",
  "content-type-unsupported",
  "body-invalid",
] as const;

/** The problems that can keep a vote from counting. */
export const decisionProblems = [
  ...bodyProblems,
  "approver-not-allowed",
  "approval-unknown",
  "approval-closed",
  "approval-changed",
] as const;
