import { effects, risks } from "@paraph/core";
import { z } from "zod";
import { secretText } from "../../outbound/secrets.ts";

const durationConfig = z.templateLiteral([z.number(), z.enum(["ms", "s", "m", "h"])]);

/** The terms of one operation, from the configuration or from `x-paraph` in the operator's own file. */
export const operationTerms = z.strictObject({
  effect: z.enum(effects).optional().describe("what it does to the world; by its method unless said"),
  risk: z.enum(risks).optional(),
  idempotency: z
    .enum(["natural", "keyed", "none"])
    .optional()
    .describe("what may be done about an attempt nobody saw the end of"),
  sensitive: z
    .array(z.string())
    .optional()
    .describe("fields of input or answer that are not shown, as in `body.iban`"),
  locks: z.array(z.string()).optional().describe("what it holds while it acts, as in `order:{id}`"),
  preview: z
    .union([z.literal(false), z.string()])
    .optional()
    .describe("the operation that reads what this one changes, or false for none"),
  timeout: durationConfig.optional(),
  keyTtl: durationConfig.optional().describe("how long the host remembers an idempotency key"),
});

export type OperationTerms = z.output<typeof operationTerms>;

const shippedDocuments = ["brave-search", "hubspot-contacts"] as const;

const openapiOptions = z.strictObject({
  document: z.string().min(1).optional().describe("a file, relative to the configuration, or a URL"),
  shipped: z.enum(shippedDocuments).optional().describe("a document that comes with Paraph instead"),
  server: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("where the API is; the document's first server unless said"),
  credential: z
    .union([secretText, z.record(z.string(), secretText)])
    .optional()
    .describe("the secret, or one for each security scheme of the document by its name"),
  include: z
    .array(z.string())
    .optional()
    .describe("only these operations: `list_orders`, `get_*`, `GET /orders/*`"),
  exclude: z.array(z.string()).default([]).describe("not these"),
  overrides: z.record(z.string(), operationTerms).default({}).describe("by the operation's name"),
  idempotencyKey: z
    .union([z.literal(true), z.string().regex(/^[A-Za-z0-9-]{1,64}$/)])
    .optional()
    .describe(
      "the host performs a POST or PATCH with the same key once; true for `Idempotency-Key`, or its header",
    ),
  allow: z
    .array(z.string())
    .default([])
    .describe("addresses that are not public and may be reached all the same, as in 127.0.0.1:8080"),
  maxBytes: z
    .int()
    .positive()
    .max(16 * 1024 * 1024)
    .default(1024 * 1024)
    .describe("how much of an answer is kept"),
  timeout: durationConfig.default("30s"),
});

export const openapiConfig = openapiOptions.refine(
  ({ document, shipped }) => (document === undefined) !== (shipped === undefined),
  "name either a `document` or one that is `shipped`",
);

export type OpenapiConfig = z.output<typeof openapiConfig>;
