import { type LoggedOut, type LoginDoor, openLogin, openLogout } from "../adapters/mcp/index.ts";
import type { Config } from "../config/config.ts";
import { deployment, systemCredentials } from "../system/credentials.ts";

/** An adapter as the command line knows it: by its name, in the configuration of a folder. */
export interface NamedAdapter {
  readonly name: string;
  readonly config: Config;
  readonly folder: string;
}

/** Begins a person's login for an MCP server. `issuer`: the only one that is taken, where none is configured. */
export function mcpLogin(named: NamedAdapter, issuer?: string): Promise<LoginDoor & AsyncDisposable> {
  return openLogin(adapterOf(named), { ...settingOf(named), ...(issuer !== undefined && { issuer }) });
}

export function mcpLogout(named: NamedAdapter): Promise<LoggedOut> {
  return openLogout(adapterOf(named), settingOf(named));
}

function adapterOf({ name, config: { adapters = {} } }: NamedAdapter) {
  return Object.hasOwn(adapters, name) ? adapters[name] : undefined;
}

/** Secrets as the adapter itself is given them. */
function settingOf({ name, folder }: NamedAdapter) {
  const credentials = systemCredentials(`${folder}/secrets`);
  return { name, folder, credential: (secret: string) => credentials.resolve(deployment, secret) };
}
