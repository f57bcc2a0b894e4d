import { defineAdapter, ParaphError, parsePublicKey, parseSigningKey } from "@paraph/core";
import { z } from "zod";
import { createServiceConnection } from "./connection.ts";
import { openService } from "./discovery.ts";
import { parseServiceAddress } from "./service-address.ts";

const publicKeyText = z.string().refine((written) => parsePublicKey(written) !== undefined, {
  message: "must be a public key from `createKeyPair()` of @paraph/sdk/serve",
});

/** The schema of the options of `remote()`. */
export const remoteServiceConfig = z.strictObject({
  url: z.string().describe("the URL of the service; plain http only to this machine"),
  key: z
    .string()
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
    .regex(/^\$\{[A-Z][A-Z0-9_]*\}$/, "name the secret that holds the private key: `${PARAPH_KEY}`")
    .describe("the private key with which Paraph signs its requests"),
  service: z
    .union([publicKeyText, z.array(publicKeyText).min(1).max(5)])
    .describe("the service's public key; list two during a key rotation"),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .describe("the required digest of the service's contracts, as `paraph adapters` shows it"),
  allowHttp: z
    .boolean()
    .optional()
    .describe("whether to allow plain HTTP to another machine, over a secure network (default: false)"),
});

/** The adapter for capabilities that a team hosts in its own process, with `serve` of @paraph/sdk. */
export const remote = defineAdapter({
  kind: "remote",
  config: remoteServiceConfig,
  open: async ({ url, key, service, digest, allowHttp = false }, adapterContext) => {
    const signer = await parseSigningKey(await adapterContext.credential(key.slice(2, -1)));
    if (!signer)
      throw new ParaphError(
        "adapter-invalid",
        `\`${adapterContext.name}\`: the secret ${key} is not an Ed25519 private key in PKCS #8. Create a key pair with \`createKeyPair()\` of @paraph/sdk/serve.`,
      );
    const connection = createServiceConnection({
      address: parseServiceAddress(adapterContext.name, url, allowHttp),
      signer,
      trustedKeys: [service].flat().map((written) => parsePublicKey(written)!),
    });
    return openService(connection, adapterContext, digest);
  },
});
