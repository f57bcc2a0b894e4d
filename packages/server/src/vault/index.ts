// HashiCorp Vault: the transit engine signs receipts, and the KV engine stores secrets.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { milliseconds } from "@paraph/core";
import type { DeploymentSigner } from "../system/signer.ts";
import type { VaultConfig } from "./config.ts";
import { connectVault } from "./connection.ts";
import { createKvSecrets, type SecretSource } from "./kv-secrets.ts";
import { openVaultSession, type SessionOptions, type VaultSession } from "./session.ts";
import { openTransitSigner } from "./transit-signer.ts";
import { VaultError } from "./vault-error.ts";

export { type VaultConfig, vaultSchema } from "./config.ts";
export type { SecretSource } from "./kv-secrets.ts";

type VaultContext = Pick<SessionOptions, "folder" | "environment" | "onProblem">;

/** Opens the transit key that the configuration names as the signer of this deployment. */
export async function openVaultSigner(
  config: VaultConfig & Required<Pick<VaultConfig, "signing">>,
  context: VaultContext,
): Promise<DeploymentSigner> {
  const session = await openSession(config, context);
  const { earlierKeys, ...signing } = config.signing;
  try {
    return await openTransitSigner(session, {
      ...signing,
      ...(earlierKeys !== undefined && { earlierKeys: resolve(context.folder, earlierKeys) }),
    });
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Opens the lookup of secrets in Vault. */
export async function openVaultSecrets(
  config: VaultConfig & Required<Pick<VaultConfig, "secrets">>,
  context: VaultContext,
): Promise<{ readonly find: SecretSource; close(): Promise<void> }> {
  const session = await openSession(config, context);
  const { cache = "30s", ...place } = config.secrets;
  return {
    find: createKvSecrets(session, { ...place, cacheMs: milliseconds(cache) }),
    close: () => session.close(),
  };
}

function openSession(config: VaultConfig, context: VaultContext): Promise<VaultSession> {
  const { url, namespace, ca, timeout = "5s", auth } = config;
  const connection = connectVault({
    url,
    namespace,
    ca: ca === undefined ? undefined : readCa(resolve(context.folder, ca)),
    timeoutMs: milliseconds(timeout),
  });
  return openVaultSession(connection, { auth, ...context }).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
}

function readCa(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new VaultError(
      "vault-invalid",
      `\`vault.ca\`: \`${file}\` cannot be read (${(error as NodeJS.ErrnoException).code}). Check the path and the rights of the file.`,
    );
  }
}
