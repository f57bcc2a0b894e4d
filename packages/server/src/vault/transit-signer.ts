import { isSignatureValid, type PublicKey, toPublicKey } from "@paraph/core";
import { createSealer, sealLabel } from "../system/sealer.ts";
import { type DeploymentSigner, openEarlierKeys } from "../system/signer.ts";
import type { VaultSigning } from "./config.ts";
import type { VaultSession } from "./session.ts";
import { VaultError } from "./vault-error.ts";

/**
 * Opens a key of Vault's transit engine as the signer of a deployment. The private key stays in Vault. Paraph signs
 * with the newest version at the time of the start, and names it in each request, so that a rotation in Vault changes
 * nothing until the next start.
 *
 * Vault never reveals the private key, so the secret of seals comes from Vault's HMAC of a fixed label, under a named
 * version of the same key. Paraph asks for it once, at the start. Seals stay local, and need no file.
 */
export async function openTransitSigner(
  session: VaultSession,
  { key, mount = "transit", sealVersions = [1], earlierKeys }: VaultSigning,
): Promise<DeploymentSigner> {
  const { version, publicKeys } = await readTransitKey(session, mount, key);
  const [current] = publicKeys;
  const secrets = await Promise.all(
    sealVersions.map((sealVersion) => deriveSealSecret(session, mount, key, sealVersion)),
  );
  const earlier = earlierKeys === undefined ? undefined : openEarlierKeys(earlierKeys);
  return {
    ...createSealer([...secrets, ...(earlier?.secrets ?? [])]),
    keyId: current.kid,
    publicKeys: [...publicKeys, ...(earlier?.publicKeys ?? [])],
    async sign(bytes) {
      const { data } = await session.request("POST", `${mount}/sign/${key}`, {
        input: Buffer.from(bytes).toString("base64"),
        key_version: version,
      });
      const signature = parseVersioned((data as { signature?: unknown } | undefined)?.signature, version, 64);
      // If the key was deleted and created again, the same version has another public key. Its receipts would not verify.
      if (!(await isSignatureValid(current, signature, new Uint8Array(bytes))))
        throw new VaultError(
          "vault-invalid",
          `The signature of Vault does not match the public key \`${current.kid}\`. If the transit key \`${key}\` was replaced, restart Paraph.`,
        );
      return signature;
    },
    close: () => session.close(),
  };
}

interface TransitKey {
  readonly version: number;
  /** The public keys of all versions, the newest first. */
  readonly publicKeys: readonly [PublicKey, ...PublicKey[]];
}

async function readTransitKey(session: VaultSession, mount: string, key: string): Promise<TransitKey> {
  const { data } = await session.request("GET", `${mount}/keys/${key}`).catch((error: unknown) => {
    if (error instanceof VaultError && error.code === "vault-not-found")
      throw new VaultError(
        "vault-not-found",
        `Vault has no transit key \`${key}\` at \`${mount}\`. Create it with \`vault write -f ${mount}/keys/${key} type=ed25519\`.`,
      );
    throw error;
  });
  const { type, derived, latest_version: latest, keys } = (data ?? {}) as Record<string, unknown>;
  if (type !== "ed25519" || derived === true)
    throw new VaultError(
      "vault-invalid",
      `The transit key \`${key}\` has the type \`${String(type)}\`${derived === true ? " with derivation" : ""}. Receipts need a key of the type \`ed25519\` without derivation.`,
    );
  const versions = Object.entries((keys ?? {}) as Record<string, { public_key?: unknown }>)
    .map(([number, { public_key: encoded }]) => ({ version: Number(number), raw: decodeBase64(encoded, 32) }))
    .sort((one, other) => other.version - one.version);
  const [newest, ...others] = versions;
  if (newest?.version !== latest || newest === undefined)
    throw new VaultError("vault-invalid", `Vault shows no public key for the newest version of \`${key}\`.`);
  return {
    version: newest.version,
    publicKeys: [toPublicKey(newest.raw), ...others.map(({ raw }) => toPublicKey(raw))],
  };
}

async function deriveSealSecret(
  session: VaultSession,
  mount: string,
  key: string,
  version: number,
): Promise<Uint8Array> {
  const { data } = await session.request("POST", `${mount}/hmac/${key}`, {
    input: Buffer.from(sealLabel).toString("base64"),
    key_version: version,
    algorithm: "sha2-256",
  });
  return parseVersioned((data as { hmac?: unknown } | undefined)?.hmac, version, 32);
}

/** Parses `vault:v<version>:<base64>`, the form of Vault's signatures and HMACs. */
function parseVersioned(text: unknown, version: number, length: number): Uint8Array<ArrayBuffer> {
  const prefix = `vault:v${version}:`;
  return decodeBase64(
    typeof text === "string" && text.startsWith(prefix) ? text.slice(prefix.length) : undefined,
    length,
  );
}

function decodeBase64(encoded: unknown, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Buffer.from(typeof encoded === "string" ? encoded : "", "base64"));
  if (bytes.length === length) return bytes;
  throw new VaultError(
    "vault-invalid",
    `Vault's answer has no value of ${length} bytes where Paraph expects one.`,
  );
}
