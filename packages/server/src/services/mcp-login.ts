import type { LoginFlow, LogoutResult } from "@paraph/adapters/mcp";
import type { Config } from "../config/config.ts";
import { createSystemCredentials, deploymentTenant } from "../system/credentials.ts";
import { loadMcp } from "./load-mcp.ts";

/** An adapter that the command line names, with its configuration and folder. */
export interface NamedAdapter {
  readonly name: string;
  readonly config: Config;
  readonly folder: string;
}

/**
 * Begins a person's login at an MCP server. If the configuration names no issuer, `issuer` is the only one that the
 * login accepts.
 */
export async function openMcpLogin(
  named: NamedAdapter,
  issuer?: string,
): Promise<LoginFlow & AsyncDisposable> {
  const { openLogin } = await loadMcp();
  return openLogin(findAdapter(named), {
    ...createLoginContext(named),
    ...(issuer !== undefined && { issuer }),
  });
}

/** Ends a person's login at an MCP server. */
export async function openMcpLogout(named: NamedAdapter): Promise<LogoutResult> {
  const { runLogout } = await loadMcp();
  return runLogout(findAdapter(named), createLoginContext(named));
}

function findAdapter({ name, config: { adapters = {} } }: NamedAdapter) {
  return Object.hasOwn(adapters, name) ? adapters[name] : undefined;
}

/** Creates the context of a login. It resolves secrets in the same way as the running adapter does. */
function createLoginContext({ name, folder }: NamedAdapter) {
  const credentials = createSystemCredentials(`${folder}/secrets`);
  return { name, folder, credential: (secret: string) => credentials.resolve(deploymentTenant, secret) };
}
