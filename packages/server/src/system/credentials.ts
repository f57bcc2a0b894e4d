import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError, type Credentials } from "@paraph/core";

/** The tenant whose secrets adapters use outside of any call. */
export const deploymentTenant = "deployment";

/**
 * Creates the lookup of a tenant's secrets by name. It reads the variable `PARAPH_SECRET__<TENANT>__<NAME>`, else the
 * file `<folder>/<tenant>/<name>`. If neither exists and the name is in capitals, it reads the deployment's variable of
 * that name. A tenant may use variables of the deployment only while `sharesDeployment` returns true for that tenant.
 * Paraph reads secrets when a capability acts, and never keeps them.
 */
export function createSystemCredentials(
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
  sharesDeployment: (tenant: string) => boolean = () => true,
): Credentials {
  return {
    async resolve(tenant, name) {
      if (!/^(?:[a-z][a-z0-9_-]{0,62}|[A-Z][A-Z0-9_]{0,62})$/.test(name)) throw missingCredential(name);
      const mayShare = tenant === deploymentTenant || sharesDeployment(tenant);
      const shared = mayShare && name === name.toUpperCase() ? environment[name] : undefined;
      const variable = `PARAPH_SECRET__${tenant}__${name.replaceAll("-", "_")}`.toUpperCase();
      const fromEnvironment = environment[variable];
      if (fromEnvironment !== undefined) return fromEnvironment;
      try {
        return (await readFile(join(folder, tenant, name), "utf8")).trimEnd();
      } catch {
        if (shared !== undefined) return shared;
        throw missingCredential(name);
      }
    },
  };
}

function missingCredential(name: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "credential-missing",
    `There is no secret \`${name}\` for this tenant. Set the variable \`PARAPH_SECRET__<TENANT>__<NAME>\`, or write the file \`secrets/<tenant>/<name>\`.`,
  );
}
