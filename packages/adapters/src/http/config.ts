import { z } from "zod";
import { isAgentHeader } from "../egress/agent-headers.ts";
import { secretText } from "../egress/secrets.ts";

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && ["http:", "https:"].includes(url.protocol) && url.origin === text;
}

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "must be the name of a header");

const hostConfig = z.strictObject({
  credential: z
    .strictObject({
      header: headerName.describe("the name of the header, such as `Authorization`"),
      value: secretText.describe("its value, with a secret's name in braces after a dollar sign"),
    })
    .optional()
    .describe("the header with the credential; refer to the secret by name"),
  idempotencyKey: z
    .union([z.literal(true), headerName])
    .optional()
    .describe(
      "the host supports idempotency keys; true for the header `Idempotency-Key`, or the name of another header",
    ),
});

export const httpAdapterConfig = z.strictObject({
  hosts: z
    .record(z.string(), hostConfig)
    .refine(
      (hosts) => Object.keys(hosts).every(isOrigin),
      "use origins: a scheme, a host and, if it is not the default, a port, such as https://api.example.com",
    )
    .refine((hosts) => Object.keys(hosts).length > 0, "name at least one host")
    .describe("the hosts that agents may call, by origin"),
  allow: z
    .array(z.string())
    .default([])
    .describe("private addresses that requests may reach, such as 127.0.0.1:8080"),
  headers: z
    .array(z.string().refine(isAgentHeader, "agents may not set this header"))
    .default(["accept", "accept-language", "content-type", "if-match", "if-none-match", "if-modified-since"])
    .describe("the headers that agents may set"),
  maxBytes: z
    .int()
    .positive()
    .max(16 * 1024 * 1024)
    .default(1024 * 1024)
    .describe("how many bytes of a response are kept"),
  watch: z
    .array(z.url({ protocol: /^https?$/ }))
    .max(100)
    .default([])
    .describe("URLs of configured hosts whose changes Paraph observes, if `poll` names the adapter"),
  timeout: z
    .templateLiteral([z.number(), z.enum(["ms", "s", "m"])])
    .default("30s")
    .describe("how long one request may take"),
});

export type HttpAdapterConfig = z.output<typeof httpAdapterConfig>;
