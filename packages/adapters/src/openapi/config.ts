import { effects, risks } from "@paraph/core";
import { z } from "zod";
import { secretText } from "../egress/secrets.ts";

const durationConfig = z.templateLiteral([z.number(), z.enum(["ms", "s", "m", "h"])]);

/** The terms of one operation, from the configuration or from `x-paraph` in the operator's own file. */
export const operationTerms = z.strictObject({
  effect: z
    .enum(effects)
    .optional()
    .describe("what the operation does to the external system (default: by its method)"),
  risk: z.enum(risks).optional().describe("the harm that the operation can do (default: by its effect)"),
  idempotency: z
    .enum(["natural", "keyed", "none"])
    .optional()
    .describe("what Paraph may do after an attempt whose outcome is unknown"),
  sensitive: z
    .array(z.string())
    .optional()
    .describe("fields of input or response that are masked, such as `body.iban`"),
  locks: z.array(z.string()).optional().describe("the locks that a call holds, such as `order:{id}`"),
  preview: z
    .union([z.literal(false), z.string()])
    .optional()
    .describe("the operation that reads the resource which this one changes, or false for no preview"),
  timeout: durationConfig.optional().describe("how long the request may take (default: that of the adapter)"),
  keyTtl: durationConfig.optional().describe("how long the host remembers an idempotency key"),
});

export type OperationTerms = z.output<typeof operationTerms>;

const shippedDocuments = ["brave-search", "hubspot-crm"] as const;

const openapiOptions = z.strictObject({
  document: z.string().min(1).optional().describe("a file, relative to the configuration, or a URL"),
  shipped: z
    .enum(shippedDocuments)
    .optional()
    .describe("a document that Paraph ships, instead of `document`"),
  server: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("the URL of the API (default: the document's first server)"),
  credential: z
    .union([secretText, z.record(z.string(), secretText)])
    .optional()
    .describe("the secret, or one for each security scheme by the scheme's name"),
  include: z
    .array(z.string())
    .optional()
    .describe("only these operations: `list_orders`, `get_*`, `GET /orders/*`"),
  exclude: z.array(z.string()).default([]).describe("operations to leave out"),
  overrides: z
    .record(z.string(), operationTerms)
    .default({})
    .describe("terms of single operations, by the operation's name"),
  idempotencyKey: z
    .union([z.literal(true), z.string().regex(/^[A-Za-z0-9-]{1,64}$/)])
    .optional()
    .describe(
      "the host supports idempotency keys for POST and PATCH; true for the header `Idempotency-Key`, or the name of another header",
    ),
  allow: z
    .array(z.string())
    .default([])
    .describe("private addresses that requests may reach, such as 127.0.0.1:8080"),
  maxBytes: z
    .int()
    .positive()
    .max(16 * 1024 * 1024)
    .default(1024 * 1024)
    .describe("how many bytes of a response are kept"),
  timeout: durationConfig.default("30s").describe("how long one request may take"),
});

export const openapiConfig = openapiOptions.refine(
  ({ document, shipped }) => (document === undefined) !== (shipped === undefined),
  "set either `document` or `shipped`",
);

export type OpenapiConfig = z.output<typeof openapiConfig>;
