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
      ? [`${sandbox.missing} Servers that are started here wait for it, unless you import with --no-sandbox`]
      : []),
    ...missing.map(
      (name) => `put the secret ${name} into secrets/deployment/${name}, or into Paraph's environment`,
    ),
    ...(isKeyMissing
      ? [
          `set ${keyVariable} where your clients start: \`paraph keys create agent\` makes a key; with --bridge none is needed`,
        ]
      : []),
    ...[...new Set(logins)].map((name) => `log in with \`paraph mcp login ${name}\``),
  ];
}
