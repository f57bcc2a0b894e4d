import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError, type Credentials } from "@paraph/core";

/** The tenant whose secrets adapters use outside of any call. */
export const deploymentTenant = "deployment";

/**
 * Creates the lookup of a tenant's secrets by name. It reads the variable `PARAPH_SECRET__<TENANT>__<NAME>`, else the
 * file `<folder>/<tenant>/<name>`. A name in capitals may also be a variable of the deployment, if the tenant has no
 * secret of that name. A tenant may use it only while `sharesDeployment` holds for that tenant. Secrets are read when a
 * capability acts, and never kept.
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
    `There is no secret \`${name}\` for this tenant: set its variable or file.`,
  );
}
