import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";
import type { ClientLocation } from "../../../lib/mcp-clients/mcp-clients.ts";

/**
 * [TRUST 18] Returns whether a folder is the home folder or contains it, also through links. A server gets no access to
 * such a folder unless the user passes it as an argument.
 */
export async function containsHome(folder: string, { home }: Pick<ClientLocation, "home">): Promise<boolean> {
  const [outer, inner] = await Promise.all([resolveLinks(folder), resolveLinks(home)]);
  return `${inner}${sep}`.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}

function resolveLinks(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}
