import { z } from "zod";
import { isAgentHeader } from "../../outbound/agent-headers.ts";
import { secretText } from "../../outbound/secrets.ts";

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && ["http:", "https:"].includes(url.protocol) && url.origin === text;
}

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "the name of a header");

const hostConfig = z.strictObject({
  credential: z
    .strictObject({ header: headerName, value: secretText })
    .optional()
    .describe("the header that says who asks, with the secret by name"),
  idempotencyKey: z
    .union([z.literal(true), headerName])
    .optional()
    .describe(
      "the host performs a request with the same key once; true for `Idempotency-Key`, or its header",
    ),
});

export const httpAdapterConfig = z.strictObject({
  hosts: z
    .record(z.string(), hostConfig)
    .refine(
      (hosts) => Object.keys(hosts).every(isOrigin),
      "write origins: a scheme, a host and, unless it is the usual one, a port, as in https://api.example.com",
    )
    .refine((hosts) => Object.keys(hosts).length > 0, "name at least one host")
    .describe("whom the agents may talk to, by origin"),
  allow: z
    .array(z.string())
    .default([])
    .describe("addresses that are not public and may be reached all the same, as in 127.0.0.1:8080"),
  headers: z
    .array(z.string().refine(isAgentHeader, "not a header that agents may set"))
    .default(["accept", "accept-language", "content-type", "if-match", "if-none-match", "if-modified-since"])
    .describe("the headers that agents may set"),
  maxBytes: z
    .int()
    .positive()
    .max(16 * 1024 * 1024)
    .default(1024 * 1024)
    .describe("how much of an answer is kept"),
  timeout: z
    .templateLiteral([z.number(), z.enum(["ms", "s", "m"])])
    .default("30s")
    .describe("how long one request may take"),
});

export type HttpAdapterConfig = z.output<typeof httpAdapterConfig>;
