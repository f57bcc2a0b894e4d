import { CapabilityError } from "@paraph/core";
import type { VaultSecrets } from "./config.ts";
import type { VaultSession } from "./session.ts";
import { VaultError } from "./vault-error.ts";

/** Looks up a tenant's secret. Returns undefined if there is none. */
export type SecretSource = (tenant: string, name: string) => Promise<string | undefined>;

/**
 * Creates the lookup of secrets in Vault's KV engine, version 2. A secret is the field `value` at
 * `<path>/<tenant>/<name>`. A process keeps each answer for a short time, so that Vault does not get a request for each
 * call. It does not keep failures.
 */
export function createKvSecrets(
  session: Pick<VaultSession, "request">,
  { mount = "secret", path = "paraph", cacheMs }: Omit<VaultSecrets, "cache"> & { readonly cacheMs: number },
  now: () => number = () => performance.now(),
): SecretSource {
  const cached = new Map<string, { readonly value: Promise<string | undefined>; readonly until: number }>();
  return (tenant, name) => {
    const place = `${mount}/data/${path}/${encodeURIComponent(tenant)}/${encodeURIComponent(name)}`;
    const known = cached.get(place);
    if (known && now() < known.until) return known.value;
    const value = readSecret(session, place, name);
    cached.set(place, { value, until: now() + cacheMs });
    value.catch(() => cached.delete(place));
    return value;
  };
}

async function readSecret(
  session: Pick<VaultSession, "request">,
  place: string,
  name: string,
): Promise<string | undefined> {
  try {
    const { data } = await session.request("GET", place);
    const fields = (data as { data?: Record<string, unknown> | null } | undefined)?.data;
    const value = fields?.value;
    if (typeof value === "string") return value;
    throw new CapabilityError(
      "permanent",
      "credential-missing",
      `The secret \`${name}\` in Vault has no field \`value\` with a text. Write it with \`vault kv put … value=…\`.`,
    );
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    if (error.code === "vault-not-found") return undefined;
    throw error.code === "vault-unavailable"
      ? new CapabilityError(
          "not-performed",
          "credential-unavailable",
          `The secret \`${name}\` cannot be read, because Vault does not answer. Paraph tries again.`,
        )
      : new CapabilityError(
          "permanent",
          "credential-denied",
          `Vault does not let Paraph read the secret \`${name}\`. Allow \`read\` on its path in the policy of Paraph's token.`,
        );
  }
}
