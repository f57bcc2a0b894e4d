import { type Duration, isDuration } from "@paraph/core";
import { z } from "zod";

/** The HashiCorp Vault that signs receipts or stores secrets. */
export interface VaultConfig {
  readonly url: string;
  /** The namespace, for Vault Enterprise. */
  readonly namespace?: string;
  /** The file of the CA that signed Vault's certificate. */
  readonly ca?: string;
  /** The maximum time of one request. */
  readonly timeout?: Duration;
  readonly auth?: VaultAuth;
  readonly signing?: VaultSigning;
  readonly secrets?: VaultSecrets;
}

/** The authentication to Vault. */
export interface VaultAuth {
  readonly tokenFile?: string;
  readonly appRole?: { readonly roleId: string; readonly secretIdFile: string; readonly mount?: string };
  readonly kubernetes?: { readonly role: string; readonly tokenFile?: string; readonly mount?: string };
}

/** The key of Vault's transit engine that signs receipts. */
export interface VaultSigning {
  readonly key: string;
  readonly mount?: string;
  /** The versions of the key whose secrets seal records. The first one seals, and all of them verify. */
  readonly sealVersions?: readonly number[];
  /** The folder of the signing keys that this deployment used before. */
  readonly earlierKeys?: string;
}

/** The place of the tenants' secrets in Vault's KV engine. */
export interface VaultSecrets {
  readonly mount?: string;
  readonly path?: string;
  readonly cache?: Duration;
}

const text = z.string().min(1);
const path = z
  .string()
  .regex(/^[\w.-]+(?:\/[\w.-]+)*$/, "expected a path such as `transit` or `team/transit`");
const duration = z
  .string()
  .refine(isDuration, "expected a duration, such as `5s`")
  .meta({ typeName: "duration" });

const auth = {
  tokenFile: text
    .optional()
    .describe("The file of a token, for example one that Vault Agent keeps up to date."),
  appRole: z
    .strictObject({
      roleId: text.describe("The id of the role."),
      secretIdFile: text.describe("The file of the secret id."),
      mount: path.optional().describe("The path of the auth method (default: `approle`)."),
    })
    .optional()
    .describe("A login with an AppRole."),
  kubernetes: z
    .strictObject({
      role: text.describe("The name of the role."),
      tokenFile: text
        .optional()
        .describe(
          "The file of the service account's token (default: `/var/run/secrets/kubernetes.io/serviceaccount/token`).",
        ),
      mount: path.optional().describe("The path of the auth method (default: `kubernetes`)."),
    })
    .optional()
    .describe("A login with the service account of a Kubernetes pod."),
} satisfies Record<keyof VaultAuth, z.ZodType>;

const signing = {
  key: z
    .string()
    .regex(/^\w(?:[\w.-]*\w)?$/, "expected the name of a transit key")
    .describe("The name of the key, of the type `ed25519`."),
  mount: path.optional().describe("The path of the transit engine (default: `transit`)."),
  sealVersions: z
    .array(z.int().positive())
    .min(1)
    .optional()
    .describe(
      "The versions of the key from which Paraph derives the secrets of seals (default: `[1]`). The first one seals, and all of them verify.",
    ),
  earlierKeys: text
    .optional()
    .describe(
      "The folder of the key files that this deployment used before Vault. Their seals and receipts stay valid (default: none).",
    ),
} satisfies Record<keyof VaultSigning, z.ZodType>;

const secrets = {
  mount: path.optional().describe("The path of the KV engine, version 2 (default: `secret`)."),
  path: path
    .optional()
    .describe(
      "The path below which the secrets are, as `<path>/<tenant>/<name>` with the field `value` (default: `paraph`).",
    ),
  cache: duration
    .optional()
    .describe("The time for which a process keeps a secret in memory (default: `30s`)."),
} satisfies Record<keyof VaultSecrets, z.ZodType>;

/** The schema of `vault`. */
export const vaultSchema = z.strictObject({
  url: z
    .string()
    .refine(isSafeUrl, "expected an https address without a path, or http on this computer")
    .describe("The address of Vault."),
  namespace: text.optional().describe("The namespace, for Vault Enterprise (default: none)."),
  ca: text
    .optional()
    .describe(
      "The file of the CA that signed Vault's certificate, as PEM, relative to the configuration (default: the CAs of Node.js).",
    ),
  timeout: duration.optional().describe("The maximum time of one request (default: `5s`)."),
  auth: z
    .strictObject(auth)
    .refine(
      (given) => Object.keys(given).length === 1,
      "name exactly one of `tokenFile`, `appRole` and `kubernetes`",
    )
    .optional()
    .describe("How Paraph authenticates (default: the token in the variable `VAULT_TOKEN`)."),
  signing: z
    .strictObject(signing)
    .optional()
    .describe("The key that signs receipts in `paraph start` (default: a key file)."),
  secrets: z
    .strictObject(secrets)
    .optional()
    .describe("The place of the tenants' secrets, after variables and files (default: none)."),
} satisfies Record<keyof VaultConfig, z.ZodType>);

/** A token in plain HTTP could be read in the network, so only this computer may use it. */
function isSafeUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, pathname, search, username } = new URL(value);
  if (pathname !== "/" || search !== "" || username !== "") return false;
  return (
    protocol === "https:" ||
    (protocol === "http:" && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
  );
}
