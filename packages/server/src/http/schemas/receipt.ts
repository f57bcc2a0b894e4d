import { z } from "@hono/zod-openapi";
import { anyJsonSchema } from "./common.ts";

export const publicKeySchema = z
  .object({
    kty: z.literal("OKP"),
    crv: z.literal("Ed25519"),
    x: z.string(),
    kid: z.string(),
    revokedAt: z.int().optional().openapi({
      description:
        "The time from which the key is revoked, in milliseconds since 1970. Reject its receipts from this time on. An earlier time inside a receipt is no proof, because a thief of the key can write any time.",
    }),
  })
  .openapi("PublicKey", {
    description: "A JSON Web Key; `kid` is its RFC 7638 thumbprint.",
    example: {
      kty: "OKP",
      crv: "Ed25519",
      x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
      kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
    },
  });

export const receiptBundleSchema = z
  .object({
    mediaType: z.literal("application/vnd.paraph.receipt.v1+json"),
    envelope: z.object({
      payloadType: z.string().openapi({ example: "application/vnd.in-toto+json" }),
      payload: z.string().openapi({ description: "The statement, in base64." }),
      signatures: z.array(z.object({ keyid: z.string(), sig: z.string() })),
    }),
    disclosures: z
      .record(z.string(), z.object({ salt: z.string(), value: anyJsonSchema }))
      .openapi({ description: "The payloads that you may see, each with the salt of its commitment." }),
  })
  .openapi("Receipt", {
    description: "A DSSE envelope with an in-toto statement, and the disclosed payloads.",
  });
