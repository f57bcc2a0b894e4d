import type { ImportPlan } from "./import-plan.ts";
import { keyVariable } from "./replacement.ts";

/** Lists the steps that an import cannot do itself, in the order in which people need them. */
export function listRemainingSteps(
  { servers, missing, isKeyMissing }: ImportPlan,
  sandbox: { missing?: string },
): string[] {
  const shutIn = servers.some(({ server }) => server.kind === "stdio" && server.sandbox !== false);
  const logins = servers.flatMap(({ adapter, server }) =>
    server.kind === "http" && server.oauth ? [adapter] : [],
  );
  return [
    ...(shutIn && sandbox.missing !== undefined
      ? [
          `${sandbox.missing} Local servers do not start without a sandbox, unless you import with --no-sandbox`,
        ]
      : []),
    ...missing.map(
      (name) => `store the secret ${name} in secrets/deployment/${name}, or in Paraph's environment`,
    ),
    ...(isKeyMissing
      ? [
          `create a key with \`paraph keys create agent\` and set ${keyVariable} in the environment of your clients, or import with --bridge, which needs no key`,
        ]
      : []),
    ...[...new Set(logins)].map((name) => `log in with \`paraph mcp login ${name}\``),
  ];
}
