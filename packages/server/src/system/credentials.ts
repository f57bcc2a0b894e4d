import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError, type Credentials } from "@paraph/core";

/** The tenant whose secrets adapters use outside of any call. */
export const deploymentTenant = "deployment";

interface CredentialSources {
  readonly environment?: NodeJS.ProcessEnv;
  readonly sharesDeployment?: (tenant: string) => boolean;
  /** Finds a tenant's secret outside of this host, for example in Vault. */
  readonly findRemote?: (tenant: string, name: string) => Promise<string | undefined>;
}

/**
 * Creates the lookup of a tenant's secrets by name. It reads the variable `PARAPH_SECRET__<TENANT>__<NAME>`, else the
 * file `<folder>/<tenant>/<name>`, else the remote source. If none of them has the secret and the name is in capitals,
 * it reads the deployment's variable of that name. A tenant may use variables of the deployment only while
 * `sharesDeployment` returns true for that tenant. If the remote source fails, the lookup fails, because the tenant may
 * have its own secret there.
 */
export function createSystemCredentials(
  folder: string,
  {
    environment = process.env,
    sharesDeployment = () => true,
    findRemote = async () => undefined,
  }: CredentialSources = {},
): Credentials {
  return {
    async resolve(tenant, name) {
      if (!/^(?:[a-z][a-z0-9_-]{0,62}|[A-Z][A-Z0-9_]{0,62})$/.test(name)) throw missingCredential(name);
      const mayShare = tenant === deploymentTenant || sharesDeployment(tenant);
      const shared = mayShare && name === name.toUpperCase() ? environment[name] : undefined;
      const variable = `PARAPH_SECRET__${tenant}__${name.replaceAll("-", "_")}`.toUpperCase();
      const fromEnvironment = environment[variable];
      if (fromEnvironment !== undefined) return fromEnvironment;
      const found =
        (await readSecretFile(join(folder, tenant, name))) ?? (await findRemote(tenant, name)) ?? shared;
      if (found === undefined) throw missingCredential(name);
      return found;
    },
  };
}

async function readSecretFile(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).trimEnd();
  } catch {
    return undefined;
  }
}

function missingCredential(name: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "credential-missing",
    `There is no secret \`${name}\` for this tenant. Set the variable \`PARAPH_SECRET__<TENANT>__<NAME>\`, write the file \`secrets/<tenant>/<name>\`, or add it to Vault if the configuration names \`vault.secrets\`.`,
  );
}
