import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClientLocation } from "../../../lib/mcp-clients/mcp-clients.ts";
import { hasSecretInUrl } from "./secret-store.ts";

/**
 * Returns the npm registry of the user's environment or `~/.npmrc`. A server in a sandbox does not see that file. A
 * registry whose address contains a secret is left out, because the address goes to a file that is committed.
 */
export async function findNpmRegistry({ home, environment }: ClientLocation): Promise<string | undefined> {
  const named = environment.NPM_CONFIG_REGISTRY ?? environment.npm_config_registry;
  const text = await readFile(join(home, ".npmrc"), "utf8").catch(() => "");
  const written = named ?? /^\s*registry\s*=\s*(\S+)\s*$/m.exec(text)?.[1];
  const url = URL.parse(written ?? "");
  if (!url || !/^https?:$/.test(url.protocol) || hasSecretInUrl(url.href)) return undefined;
  return url.hostname === "registry.npmjs.org" ? undefined : url.href;
}
