import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { SchemaFault } from "@paraph/core";
import type { Config } from "./config.ts";

/**
 * Returns a fault for each configured secret that no tenant has. It does not check which tenant may use a secret.
 * Paraph decides that at each use.
 */
export function listSecretFaults(
  config: Config,
  folder: string,
  environment: NodeJS.ProcessEnv,
): SchemaFault[] {
  // Vault may have the secret. Paraph asks Vault when it needs the secret.
  if (config.vault?.secrets) return [];
  const files = listSecretFiles(join(folder, "secrets"));
  const isThere = (name: string) => {
    const suffix = `__${name.replaceAll("-", "_")}`.toUpperCase();
    return (
      (name === name.toUpperCase() && environment[name] !== undefined) ||
      files.has(name) ||
      Object.keys(environment).some((key) => key.startsWith("PARAPH_SECRET__") && key.endsWith(suffix))
    );
  };
  return listNamedSecrets(config)
    .filter(({ name }) => !isThere(name))
    .map(({ path, name }) => ({
      path,
      message: `: there is no secret \`${name}\`. Set the variable \`PARAPH_SECRET__<TENANT>__<NAME>\`, or write the file \`secrets/<tenant>/${name}\``,
    }));
}

function listNamedSecrets({
  adapters = {},
  webhooks = [],
  channels = [],
  identity,
  checks,
  intents,
}: Config) {
  const models = [
    ["checks", checks?.model?.credential],
    ["intents", intents?.model?.credential],
  ] as const;
  const client = identity?.oidc?.client?.secret;
  return [
    ...Object.entries(adapters).flatMap(([adapter, { secrets = [] }]) =>
      secrets.map((name) => ({ path: ["adapters", adapter], name })),
    ),
    ...webhooks.map(({ secret }, index) => ({ path: ["webhooks", index, "secret"], name: secret })),
    ...channels.flatMap(({ secrets }, index) => secrets.map((name) => ({ path: ["channels", index], name }))),
    ...(client === undefined ? [] : [{ path: ["identity", "oidc", "client", "secret"], name: client }]),
    ...models.flatMap(([key, name]) =>
      name === undefined ? [] : [{ path: [key, "model", "credential"], name }],
    ),
  ];
}

/** Returns the names of the files in all tenants' folders. */
function listSecretFiles(folder: string): ReadonlySet<string> {
  try {
    const tenants = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return new Set(tenants.flatMap(({ name }) => readdirSync(join(folder, name))));
  } catch {
    return new Set();
  }
}
