import { type LoginFlow, type LogoutResult, openLogin, runLogout } from "../adapters/mcp/index.ts";
import type { Config } from "../config/config.ts";
import { createSystemCredentials, deploymentTenant } from "../system/credentials.ts";

/** An adapter as the command line knows it: by its name, in the configuration of a folder. */
export interface NamedAdapter {
  readonly name: string;
  readonly config: Config;
  readonly folder: string;
}

/** Begins a person's login for an MCP server. `issuer`: the only one that is taken, where none is configured. */
export function openMcpLogin(named: NamedAdapter, issuer?: string): Promise<LoginFlow & AsyncDisposable> {
  return openLogin(findAdapter(named), {
    ...createLoginContext(named),
    ...(issuer !== undefined && { issuer }),
  });
}

export function openMcpLogout(named: NamedAdapter): Promise<LogoutResult> {
  return runLogout(findAdapter(named), createLoginContext(named));
}

function findAdapter({ name, config: { adapters = {} } }: NamedAdapter) {
  return Object.hasOwn(adapters, name) ? adapters[name] : undefined;
}

/** Secrets as the adapter itself is given them. */
function createLoginContext({ name, folder }: NamedAdapter) {
  const credentials = createSystemCredentials(`${folder}/secrets`);
  return { name, folder, credential: (secret: string) => credentials.resolve(deploymentTenant, secret) };
}
