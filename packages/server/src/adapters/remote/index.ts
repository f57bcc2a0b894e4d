import { defineAdapter, ParaphError, parsePublicKey, parseSigningKey } from "@paraph/core";
import { z } from "zod";
import { createServiceConnection } from "./connection.ts";
import { openService } from "./discovery.ts";
import { parseServiceAddress } from "./service-address.ts";

const publicKeyText = z.string().refine((written) => parsePublicKey(written) !== undefined, {
  message: "a public key, as `createKeyPair()` of @paraph/sdk/serve makes it",
});

/** The adapter for capabilities that a team hosts in its own process, with `serve` of @paraph/sdk. */
export const remote = defineAdapter({
  kind: "remote",
  config: z.strictObject({
    url: z.string().describe("where the service is; plain http only to this machine"),
    key: z
      .string()
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
      .regex(/^\$\{[A-Z][A-Z0-9_]*\}$/, "name the secret that holds the private key: `${PARAPH_KEY}`")
      .describe("the private key this Paraph signs its requests with"),
    service: z
      .union([publicKeyText, z.array(publicKeyText).min(1).max(5)])
      .describe("the service's public key; two while one takes the place of the other"),
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe("what it has to offer exactly, as `paraph adapters` shows it"),
    allowHttp: z.boolean().optional().describe("plain HTTP to another machine, where the way there is safe"),
  }),
  open: async ({ url, key, service, digest, allowHttp = false }, adapterContext) => {
    const signer = await parseSigningKey(await adapterContext.credential(key.slice(2, -1)));
    if (!signer)
      throw new ParaphError(
        "adapter-invalid",
        `\`${adapterContext.name}\`: ${key} is no Ed25519 private key in PKCS #8.`,
      );
    const connection = createServiceConnection({
      address: parseServiceAddress(adapterContext.name, url, allowHttp),
      signer,
      trustedKeys: [service].flat().map((written) => parsePublicKey(written)!),
    });
    return openService(connection, adapterContext, digest);
  },
});
